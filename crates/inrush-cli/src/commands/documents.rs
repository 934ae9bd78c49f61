//! Documents that are made from the definitions of the command line: completions for shells, and the manual page.

use clap::{Args, Command};
use clap_complete::Shell;
use inrush_core::{Error, Result};
use std::io::Write as _;

/// Print completions for a shell: `inrush completions bash > /etc/bash_completion.d/inrush`
#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// `bash`, `zsh`, `fish`, `elvish` or `powershell`
    #[arg(value_enum, value_name = "SHELL", hide_possible_values = true)]
    shell: Shell,
}

/// Prints them.
pub(crate) fn completions(args: &CompletionsArgs, mut command: Command) -> Result<u8> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut command, "inrush", &mut text);
    print(&text)
}

/// Prints the manual page: the program, then each command with its options.
pub(crate) fn man(command: Command) -> Result<u8> {
    let cannot = |e| Error::io("cannot make the manual page", e);
    let mut command = command.disable_help_subcommand(true);
    command.build();
    let mut text = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut text).map_err(cannot)?;
    for verb in command.get_subcommands() {
        let page = clap_mangen::Man::new(verb.clone());
        writeln!(text, ".SH COMMAND {}", verb.get_name().to_uppercase()).map_err(cannot)?;
        page.render_description_section(&mut text).map_err(cannot)?;
        page.render_synopsis_section(&mut text).map_err(cannot)?;
        page.render_options_section(&mut text).map_err(cannot)?;
    }
    print(&text)
}

fn print(text: &[u8]) -> Result<u8> {
    let mut out = std::io::stdout().lock();
    out.write_all(text).and_then(|()| out.flush()).map_err(|e| Error::io("cannot write to standard output", e))?;
    Ok(crate::exit::OK)
}

#[cfg(test)]
mod tests;
