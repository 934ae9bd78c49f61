//! The arguments that are made from the library's table of options, [`LoadOption::ALL`].

use crate::connection::without_password;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use inrush::{DerivedLoad, LoadOption, LoadOptions, OptionValue, ReplicaUrl};
use inrush_core::{Error, Result};

/// The options of the table that were given, or have a default, with their texts.
#[derive(Clone, Debug, Default)]
pub(crate) struct LoaderArgs {
    given: Vec<(&'static LoadOption, Vec<String>)>,
}

impl LoaderArgs {
    /// Whether the option of this name was given.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.given.iter().any(|(option, _)| option.name == name)
    }

    /// Those that such a load takes, too.
    pub(crate) fn of(&self, load: DerivedLoad) -> Self {
        let given = self.given.iter().filter(|(option, _)| option.is_of(load));
        Self { given: given.cloned().collect() }
    }

    /// The same with this option.
    pub(crate) fn with(mut self, name: &str, text: &str) -> Self {
        self.given.extend(LoadOption::find(name).map(|option| (option, values(option, text))));
        self
    }

    /// The same with all of `others`.
    pub(crate) fn and(mut self, others: &Self) -> Self {
        self.given.extend(others.given.iter().cloned());
        self
    }

    /// The options of a load, the others being the default.
    pub(crate) fn options(&self) -> Result<LoadOptions> {
        let mut options = LoadOptions::default();
        for (option, texts) in &self.given {
            for text in texts {
                if option.name == "replica" {
                    // The message below would show the URL.
                    ReplicaUrl::parse(text).map_err(|error| error.while_doing("`--replica`"))?;
                    without_password(text, "`--replica`")?;
                }
                option.set(&mut options, text).ok_or_else(|| {
                    Error::config(format!("`--{} {text}` is not understood", option.name))
                        .with_hint(format!("it takes {}", option.takes))
                })?;
            }
        }
        Ok(options)
    }
}

impl Args for LoaderArgs {
    fn augment_args(command: Command) -> Command {
        command.args(LoadOption::ALL.iter().map(argument))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for LoaderArgs {
    fn from_arg_matches(matches: &ArgMatches) -> std::result::Result<Self, clap::Error> {
        let texts = |option: &LoadOption| match option.value {
            OptionValue::Switch => matches.get_flag(option.name).then(|| vec!["true".to_owned()]),
            OptionValue::One { .. } | OptionValue::Many { .. } => {
                matches.get_many::<String>(option.name).map(|texts| texts.cloned().collect())
            }
            OptionValue::List { .. } => matches.get_one::<String>(option.name).map(|list| values(option, list)),
        };
        let given = LoadOption::ALL.iter().filter_map(|option| Some((option, texts(option)?)));
        Ok(Self { given: given.collect() })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> std::result::Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The values that a text of an option has.
fn values(option: &LoadOption, text: &str) -> Vec<String> {
    match option.value {
        OptionValue::List { .. } => text.split(',').map(|word| word.trim().to_owned()).collect(),
        _ => vec![text.to_owned()],
    }
}

fn argument(option: &'static LoadOption) -> Arg {
    let arg = Arg::new(option.name).long(option.name).help(option.help).help_heading(option.heading);
    let arg = arg.conflicts_with_all(option.excludes);
    match option.value {
        OptionValue::Switch => arg.action(ArgAction::SetTrue),
        OptionValue::One { name, default: "", .. } => arg.value_name(name),
        OptionValue::One { name, default, .. } => arg.value_name(name).default_value(default),
        OptionValue::Many { name } => {
            arg.value_name(name).action(ArgAction::Append).help(format!("{}; may be given several times", option.help))
        }
        OptionValue::List { name } => arg.value_name(name).help(format!("{}; several with commas", option.help)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;
    use inrush::BatchSize;
    use std::time::Duration;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        loading: LoaderArgs,
    }

    fn options(line: &str) -> Result<LoadOptions> {
        let Line { loading } = Line::parse_from(["load"].into_iter().chain(line.split_whitespace()));
        loading.options()
    }

    #[test]
    fn nothing_given_is_the_default() {
        assert_eq!(options("").unwrap(), LoadOptions::default());
    }
    #[test]
    fn each_kind_of_option() {
        let got = options("--again --min-rows 90% --before a --before b --retry-for 2h").unwrap();
        assert!(got.again && !got.dry_run);
        assert_eq!(got.min_rows, inrush::MinRows::parse("90%"));
        assert_eq!((got.before, got.after.len()), (vec!["a".to_owned(), "b".into()], 0));
        assert_eq!(got.retries_for, Duration::from_secs(7200));
    }
    #[test]
    fn words_with_commas() {
        let got = options("--key=`a`,b --unchecked unique,zero-dates").unwrap();
        assert_eq!(got.key, ["a", "b"]);
        assert_eq!((got.unchecked.unique, got.unchecked.foreign_keys, got.unchecked.zero_dates), (true, false, true));
        assert!(options("--unchecked=").is_err() && options("--unchecked unique,all").is_err());
    }
    #[test]
    fn a_new_table_is_all_or_nothing() {
        let got = options("--replace-table").unwrap();
        assert_eq!((got.replace, got.atomic, got.truncate), (true, true, true));
        assert!(Line::try_parse_from(["load", "--replace-table", "--truncate"]).is_err());
        assert!(Line::try_parse_from(["load", "--atomic", "--truncate"]).is_ok());
    }
    #[test]
    fn a_batch_is_rows_or_bytes() {
        let batch = |text: &str| options(&format!("--batch={text}")).map(|got| got.batch).ok();
        assert_eq!(batch("auto"), Some(BatchSize::Auto));
        assert_eq!(batch("64000"), Some(BatchSize::Rows(64000)));
        assert_eq!(batch("4MiB"), Some(BatchSize::Bytes(4 << 20)));
        for wrong in ["", "0", "0k", "65MiB", "4x", "-1", "MiB", "1GiB", "99999999999999999999"] {
            assert_eq!(batch(wrong), None, "{wrong}");
        }
    }
    #[test]
    fn memory_is_bytes() {
        let memory = |text: &str| options(&format!("--memory={text}")).map(|got| got.memory).ok();
        assert_eq!(["256MiB", "1g", "268435456"].map(memory), [256 << 20, 1 << 30, 256 << 20].map(Some));
        for wrong in ["", "256", "0MiB", "1023k", "MiB", "1T"] {
            assert_eq!(memory(wrong), None, "{wrong}");
        }
    }
    #[test]
    fn lanes_are_counted_or_found_out() {
        let lanes = |text: &str| options(&format!("--lanes={text}")).map(|got| got.lanes).ok();
        assert_eq!((lanes("auto"), lanes("256")), (Some(None), Some(Some(256))));
        for wrong in ["", "0", "257", "-1", "two", "2k"] {
            assert_eq!(lanes(wrong), None, "{wrong}");
        }
    }
    #[test]
    fn times() {
        let ms =
            |text: &str| options(&format!("--retry-for={text}")).map(|got| got.retries_for.as_millis() as u64).ok();
        assert_eq!(["0", "500ms", "30s", "10m", "2h"].map(ms), [0, 500, 30_000, 600_000, 7_200_000].map(Some));
        for wrong in ["s", "-1s", "1d", "99999999999999999999s", "9999999999999999999h"] {
            assert_eq!(ms(wrong), None, "{wrong}");
        }
    }
    #[test]
    fn what_is_not_understood_is_named_with_what_is() {
        for wrong in [
            "--max-bad=101%",
            "--max-bad=ten",
            "--max-bad=-1",
            "--min-rows=nan%",
            "--rate=0",
            "--rate=fast",
            "--mode=merge",
            "--method=pipelined",
            "--sort=by-key",
            "--unchecked=all",
        ] {
            let error = options(wrong).unwrap_err();
            assert_eq!(error.message(), format!("`{}` is not understood", wrong.replace('=', " ")));
            assert!(error.hint().unwrap().starts_with("it takes "), "{error}");
        }
    }
    #[test]
    fn a_replica_is_one_server_and_its_url_is_not_shown() {
        assert_eq!(options("--replica mysql://db2:3306 --replica mysql://db3").unwrap().replicas.len(), 2);
        for (wrong, message) in [
            ("mysql://db2,db3", "`--replica`: a replica's URL names several hosts"),
            ("db2:secret", "`--replica`: the connection URL cannot be read: "),
            ("mysql://me:secret@[db2", "`--replica`: the connection URL cannot be read: "),
            ("mysql://me:secret@db2", "a password in `--replica` is seen by every user of this machine"),
        ] {
            let error = options(&format!("--max-lag 5s --replica {wrong}")).unwrap_err();
            assert!(error.message().starts_with(message), "{error}");
            assert!(!format!("{error}{:?}", error.hint()).contains("secret"), "{error}");
        }
    }
    #[test]
    fn some_are_left_out() {
        let Line { loading } = Line::parse_from(["load", "--again", "--rate", "5k"]);
        let left = loading.of(DerivedLoad::TableCopy);
        assert!(left.has("again") && !left.has("rate") && loading.has("rate"));
        let more = left.with("rate", "5").with("unchecked", "unique, zero-dates");
        assert!(more.has("rate") && more.options().is_ok_and(|options| options.unchecked.zero_dates));
    }
}
