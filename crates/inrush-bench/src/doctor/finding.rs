//! What a rule found: evidence, effect, advice.

use super::gain::Gain;
use serde::Serialize;

/// What was found.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    /// The rule's name: `redo-log-small`.
    pub rule: &'static str,
    /// What it is, in one sentence.
    pub title: String,
    /// Settings, counters and measured values that show it.
    pub evidence: Vec<String>,
    /// What it costs.
    pub effect: Effect,
    /// What to do.
    pub advice: String,
    /// What the advice risks.
    pub risk: Risk,
    /// Where the fact comes from.
    pub source: &'static str,
}

/// What a finding costs, and how that is known.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Effect {
    /// Writing does not work at all, or not as a load needs it.
    Blocks {
        /// What does not work.
        what: String,
    },
    /// Measured on this server, now: without it the same work is so many times as fast.
    Measured {
        /// 1.5: half as fast again.
        factor: f64,
        /// What was measured.
        what: String,
    },
    /// Measured on two servers of the same kind on this machine, one of which had this setting changed: so many times as fast.
    Twin {
        /// The median of the turns.
        factor: f64,
        /// The least of the turns.
        least: f64,
        /// The greatest.
        most: f64,
        /// What was changed, and the work.
        what: String,
    },
    /// Computed of the server's own counters.
    Attributed {
        /// The share of the time or of the events, 0 to 1.
        share: f64,
        /// Of what.
        of: String,
    },
    /// A fact with its source; its size on this server is not known.
    Known {
        /// What it costs in general.
        what: String,
        /// How much it matters in most cases, 0 to 1: only the order of findings uses it.
        #[serde(skip)]
        weight: f64,
    },
}

/// What following an advice may cost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Risk {
    /// Nothing.
    None,
    /// Something else, in words.
    Some(String),
    /// Committed transactions may be lost: the price of the speed.
    Durability(String),
}

impl Effect {
    /// The greater, the earlier it is shown.
    pub fn rank(&self) -> f64 {
        match self {
            Self::Blocks { .. } => 1000.0,
            Self::Measured { factor, .. } => (factor - 1.0).max(0.0) * 10.0,
            // Turns that disagree show little: half of what they would otherwise.
            Self::Twin { factor, least, .. } => (factor - 1.0).max(0.0) * if *least > 1.0 { 10.0 } else { 5.0 },
            Self::Attributed { share, .. } => share / (1.0 - share).max(0.01) * 10.0,
            Self::Known { weight, .. } => *weight,
        }
    }

    /// Takes the measurement on twins. One of the server itself is nearer to the truth if the server is elsewhere, where its disk and its
    /// processors are others.
    pub(super) fn measure_on_twins(&mut self, gain: &Gain, is_local: bool) {
        let stays = matches!(self, Self::Blocks { .. }) || (matches!(self, Self::Measured { .. }) && !is_local);
        if stays {
            return;
        }
        let Gain { factor, range: (least, most), change, lanes } = gain;
        let on = match lanes {
            1 => "one connection".to_owned(),
            n => format!("{n} connections"),
        };
        let what = format!("rows copied by {on}, 1,000 a transaction, with {change} on a server like it");
        *self = Self::Twin { factor: *factor, least: *least, most: *most, what };
    }

    /// In words, with how it is known.
    pub fn shown(&self) -> String {
        match self {
            Self::Blocks { what } => format!("blocks: {what}"),
            Self::Measured { factor, what } => format!("measured: {factor:.1} x, {what}"),
            Self::Twin { factor, least, most, what } if *least > 1.0 => {
                format!("twin: {factor:.2} x ({least:.2} to {most:.2}), {what}")
            }
            Self::Twin { factor, least, most, what } if *most < 1.0 => {
                format!("twin: slower, {factor:.2} x ({least:.2} to {most:.2}), {what}")
            }
            Self::Twin { factor, least, most, what } => {
                format!("twin: no difference for certain ({factor:.2} x, {least:.2} to {most:.2}), {what}")
            }
            Self::Attributed { share, of } => format!("counted: {:.0} % of {of}", share * 100.0),
            Self::Known { what, .. } => format!("known: {what}"),
        }
    }
}

impl Risk {
    /// In words; `None` if there is none.
    pub fn shown(&self) -> Option<String> {
        match self {
            Self::None => None,
            Self::Some(text) => Some(text.clone()),
            Self::Durability(text) => Some(format!("durability: {text}")),
        }
    }
}

/// A finding before it has the name and the source of its rule.
#[derive(Clone, Debug)]
pub(crate) struct Symptom {
    title: String,
    evidence: Vec<String>,
    effect: Effect,
    advice: String,
    risk: Risk,
}

impl Symptom {
    /// A finding with this title and effect.
    pub(super) fn new(title: impl Into<String>, effect: Effect) -> Self {
        Self { title: title.into(), evidence: Vec::new(), effect, advice: String::new(), risk: Risk::None }
    }

    /// The same of a known cost.
    pub(super) fn known(title: impl Into<String>, weight: f64, what: impl Into<String>) -> Self {
        Self::new(title, Effect::Known { what: what.into(), weight })
    }

    /// Adds a line of evidence.
    pub(super) fn because(mut self, evidence: impl Into<String>) -> Self {
        self.evidence.push(evidence.into());
        self
    }

    /// Sets what to do.
    pub(super) fn do_this(mut self, advice: impl Into<String>) -> Self {
        self.advice = advice.into();
        self
    }

    /// Sets what it risks.
    pub(super) fn at_risk(mut self, risk: impl Into<String>) -> Self {
        self.risk = Risk::Some(risk.into());
        self
    }

    /// Sets the price in durability.
    pub(super) fn loses(mut self, what: impl Into<String>) -> Self {
        self.risk = Risk::Durability(what.into());
        self
    }

    /// The finding of the rule with this name and source.
    pub(super) fn of(self, rule: &'static str, source: &'static str) -> Finding {
        let Self { title, evidence, effect, advice, risk } = self;
        Finding { rule, title, evidence, effect, advice, risk, source }
    }
}
