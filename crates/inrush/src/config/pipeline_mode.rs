//! Whether commands may be sent before earlier ones are answered, and the words for it.

use crate::{Error, Result};
use std::str::FromStr;

/// Whether commands may be sent before earlier ones are answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PipelineMode {
    /// If a test shows that the server supports it: some proxies answer only the first of two commands.
    #[default]
    Auto,
    /// Always, without a test.
    On,
    /// Never: one command, one answer.
    Off,
}

impl FromStr for PipelineMode {
    type Err = Error;

    /// `auto`, or the words of a switch, in any case.
    fn from_str(word: &str) -> Result<Self> {
        match word.to_ascii_lowercase().as_str() {
            "auto" => Ok(Self::Auto),
            "1" | "on" | "true" | "yes" => Ok(Self::On),
            "0" | "off" | "false" | "no" => Ok(Self::Off),
            _ => {
                Err(Error::config(format!("`{word}` does not say whether to pipeline"))
                    .with_hint("one of auto, on, off"))
            }
        }
    }
}
