//! Whether a raw chunk is validated for pass-through: then its text goes to the server unchanged, or is written straight from the
//! source's own form, and no row is parsed.

use super::payload::Payload;
use crate::loader::control::lock;
use crate::loader::plan::source_plan::SourcePlan;
use crate::loader::plan::target::Target;
use inrush_core::load::encode::load_data;
use inrush_core::load::{PassThrough, RawChunk};
use inrush_core::write::Method;

/// What was found in a raw chunk that may be sent whole by `method`, and what is sent.
pub(crate) fn pass_through(
    raw_chunk: &dyn RawChunk,
    plan: &SourcePlan,
    method: Method,
    target: &Target,
) -> Option<(PassThrough, Payload)> {
    let sends_text = method == Method::LoadData || target.load.options.dry_run;
    // What is noted of each row is in no text.
    if !sends_text
        || plan.notes.is_some()
        || !load_data::may_pass_through(&plan.checks)
        || !lock(&plan.back_off).allows()
    {
        return None;
    }
    let seen = check_pass_through(raw_chunk, plan, target);
    lock(&plan.back_off).learn(seen.is_some());
    // A row longer than that could be loaded in pieces, but neither inserted nor read again.
    seen.filter(|(pass_through, _)| pass_through.longest <= target.max_packet)
}

fn check_pass_through(raw_chunk: &dyn RawChunk, plan: &SourcePlan, target: &Target) -> Option<(PassThrough, Payload)> {
    if let Some(pass_through) = raw_chunk.pass_through(&plan.checks) {
        let separators = load_data::passes_through(&pass_through)?;
        let is_ascii = pass_through.is_ascii;
        return Some((pass_through, Payload::PassThrough { separators, is_ascii }));
    }
    let (pass_through, text) = raw_chunk.write(&plan.checks, &|bytes| target.load.buffers.take(bytes))?;
    Some((pass_through, Payload::LoadData(text)))
}
