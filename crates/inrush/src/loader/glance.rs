//! Whether a look at a stretch is enough: then its text goes to the server as it stands, or as it is written straight from what it is in
//! its source, and nobody takes it apart.

use super::control::lock;
use super::payload::Payload;
use super::source_plan::SourcePlan;
use super::target::Target;
use inrush_core::bulk::encode::load_data;
use inrush_core::bulk::{Glance, Method, Stretch};

/// What was seen of a stretch that may be sent whole by `method`, and what is sent.
pub(super) fn glance(
    stretch: &dyn Stretch,
    plan: &SourcePlan,
    method: Method,
    target: &Target,
) -> Option<(Glance, Payload)> {
    let sends_text = method == Method::LoadData || target.load.options.dry_run;
    if !sends_text || !load_data::may_stand(&plan.checks) || !lock(&plan.hope).allows() {
        return None;
    }
    let seen = look(stretch, plan, target);
    lock(&plan.hope).learn(seen.is_some());
    // A row longer than that could be loaded in pieces, but neither inserted nor read again.
    seen.filter(|(glance, _)| glance.longest <= target.max_packet)
}

fn look(stretch: &dyn Stretch, plan: &SourcePlan, target: &Target) -> Option<(Glance, Payload)> {
    if let Some(glance) = stretch.glance(&plan.checks) {
        let separators = load_data::stands_at_a_glance(&glance)?;
        return Some((glance, Payload::AsItStands { separators }));
    }
    let (glance, text) = stretch.write(&plan.checks, &|bytes| target.load.spares.take(bytes))?;
    Some((glance, Payload::LoadData(text)))
}
