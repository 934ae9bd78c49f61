//! TIME: `[-][D ]HHH:MM[:SS[.f]]`, from -838:59:59 to 838:59:59. Digits without a colon are bad: a server reads `1112` as
//! 11 minutes and 12 seconds, people mean something else.

use super::moment::{Fraction, Rest, write_digits};
use super::number;
use super::{CellValidator, Rules, Verdict, Why};
use crate::value as wire;

#[derive(Clone, Debug)]
pub(super) struct TimeValidator {
    fsp: u8,
    /// The last possible second may have a fraction too.
    ends_in_fraction: bool,
}

impl TimeValidator {
    pub(super) fn new(fsp: u8, rules: &Rules) -> Self {
        Self { fsp, ends_in_fraction: rules.profile.time_ends_in_fraction }
    }

    pub(super) fn time(&self, time: &wire::Time) -> Verdict {
        if !time.is_valid() {
            return Verdict::Bad(Why::Shape);
        }
        let hours = u64::from(time.days) * 24 + u64::from(time.hours);
        self.in_limits(hours, time.minutes.into(), time.seconds, Fraction::from_micros(time.micros))
            .map_or_else(Verdict::Bad, |()| Verdict::Keep)
    }

    fn in_limits(&self, hours: u64, minutes: u32, seconds: u8, fraction: Fraction) -> Result<(), Why> {
        if !fraction.fits(self.fsp) {
            return Err(Why::Fraction);
        }
        let last_second = (hours, minutes, seconds) == (838, 59, 59);
        if hours > 838 || (last_second && fraction.micros > 0 && !self.ends_in_fraction) {
            return Err(Why::Range);
        }
        Ok(())
    }

    fn rewrite(&self, cell: &[u8], out: &mut Vec<u8>) -> Result<(), Why> {
        let (negative, unsigned) = number::split_sign(number::trim(cell));
        let mut rest = Rest(unsigned);
        let mut hours = rest.number(1, 9).ok_or(Why::Shape)?;
        if rest.0.first() == Some(&b' ') {
            rest.blanks();
            let days = hours;
            hours = rest.number(1, 2).filter(|h| *h < 24).ok_or(Why::Shape)?;
            hours += days.min(100) * 24;
        }
        rest.expect(b':').ok_or(Why::Shape)?;
        let minutes = rest.number(2, 2).filter(|m| *m < 60).ok_or(Why::Shape)?;
        let (seconds, fraction) = rest.seconds().filter(|(s, _)| *s < 60).ok_or(Why::Shape)?;
        if !rest.0.is_empty() {
            return Err(Why::Shape);
        }
        self.in_limits(hours.into(), minutes, seconds, fraction)?;
        if negative {
            out.push(b'-');
        }
        write_digits(hours, if hours > 99 { 3 } else { 2 }, out);
        out.push(b':');
        write_digits(minutes, 2, out);
        out.push(b':');
        write_digits(seconds.into(), 2, out);
        fraction.write(self.fsp, out);
        Ok(())
    }
}

impl CellValidator for TimeValidator {
    fn validate(&self, cell: &[u8], out: &mut Vec<u8>) -> Verdict {
        let start = out.len();
        match self.rewrite(cell, out) {
            Ok(()) if out[start..] == *cell => {
                out.truncate(start);
                Verdict::Keep
            }
            Ok(()) => Verdict::Rewrite,
            Err(why) => Verdict::Bad(why),
        }
    }
}
