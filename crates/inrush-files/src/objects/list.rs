//! The objects of a folder, or below it.

use super::failure;
use super::runtime;
use super::store::{self, Patience};
use crate::address::Address;
use futures_util::TryStreamExt as _;
use inrush_core::error::{Error, Result};
use object_store::path::Path;

/// The keys that begin with the key of `folder`, in order: those directly in it, or with `is_deep` those in its folders too.
///
/// # Errors
/// `Config` for a store that must not be listed, and an HTTP server, which has no list.
pub(crate) fn list(folder: &Address, is_deep: bool) -> Result<Vec<String>> {
    if folder.scheme.is_http() {
        return Err(Error::config(format!("`{}` is a folder of an HTTP server, which has no list", folder.shown()))
            .with_hint("name its files"));
    }
    let (store, path) = store::of(folder, Patience::Opening)?;
    let own = folder.clone();
    runtime::wait(async move {
        let failed = |e| failure::of(&own, "list", &e);
        let prefix = Some(&path).filter(|path| **path != Path::ROOT);
        let found = match is_deep {
            true => store.list(prefix).try_collect::<Vec<_>>().await.map_err(failed)?,
            false => store.list_with_delimiter(prefix).await.map_err(failed)?.objects,
        };
        let mut keys: Vec<String> = found.into_iter().map(|meta| meta.location.to_string()).collect();
        keys.sort();
        Ok(keys)
    })
}
