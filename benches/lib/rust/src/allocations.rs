//! How often memory was taken, if the program was built to count that.

#[cfg(feature = "allocations")]
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering};

/// Allocations and reallocations since the start; 0 if they are not counted.
pub fn count() -> u64 {
    COUNT.load(Ordering::Relaxed)
}

static COUNT: AtomicU64 = AtomicU64::new(0);

#[cfg(feature = "allocations")]
#[global_allocator]
static COUNTING: Counting = Counting;

#[cfg(feature = "allocations")]
struct Counting;

// SAFETY: each call goes to the system's allocator as it came.
#[cfg(feature = "allocations")]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        COUNT.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.realloc(memory, layout, size) }
    }
}
