//! The output formats, their names, and the function that renders them.

use crate::{Diagnostic, Registry, Style, renderers};
use std::fmt;
use std::str::FromStr;
use steadfast_span::SourceFile;

/// An output format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Format {
    /// For people: the source, with labels under it.
    #[default]
    Full,
    /// For people and editors: one line per diagnostic.
    Concise,
    /// For programs: one JSON array.
    Json,
    /// For programs that read incrementally: one JSON object per line.
    Jsonl,
    /// For code scanning services: a SARIF 2.1.0 log.
    Sarif,
    /// For GitHub Actions: workflow commands that annotate the change.
    Github,
    /// For pull requests: a table in Markdown, with the details below it.
    Markdown,
}

/// A name that is not the name of a format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownFormat(pub String);

impl Format {
    /// Every format, in the order in which help texts list them.
    pub const ALL: [Self; 7] =
        [Self::Full, Self::Concise, Self::Json, Self::Jsonl, Self::Sarif, Self::Github, Self::Markdown];

    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Concise => "concise",
            Self::Json => "json",
            Self::Jsonl => "jsonl",
            Self::Sarif => "sarif",
            Self::Github => "github",
            Self::Markdown => "markdown",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        Self::ALL.into_iter().find(|format| format.name() == name).ok_or_else(|| UnknownFormat(name.to_owned()))
    }
}

impl fmt::Display for UnknownFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = Format::ALL.iter().map(|format| format.name()).collect();
        write!(f, "unknown format `{}`, expected one of: {}", self.0, names.join(", "))
    }
}

impl std::error::Error for UnknownFormat {}

/// Renders diagnostics, each with the file that it is about, in the given order.
///
/// A SARIF log made here describes only the codes of this crate; [`sarif`](crate::sarif) takes a registry with more.
pub fn render(format: Format, diagnostics: &[(&SourceFile, &Diagnostic)], style: Style) -> String {
    match format {
        Format::Full => renderers::full::full(diagnostics, style),
        Format::Concise => renderers::concise::concise(diagnostics),
        Format::Json => renderers::json::json(diagnostics),
        Format::Jsonl => renderers::jsonl::jsonl(diagnostics),
        Format::Sarif => renderers::sarif::sarif(diagnostics, &Registry::builtin()),
        Format::Github => renderers::github::github(diagnostics),
        Format::Markdown => renderers::markdown::markdown(diagnostics),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::renderers::sample;

    #[test]
    fn names_parse_back() {
        for format in Format::ALL {
            assert_eq!(format.name().parse(), Ok(format));
            assert_eq!(format.to_string(), format.name());
        }
    }

    #[test]
    fn an_unknown_name_lists_the_known_ones() {
        let error = "xml".parse::<Format>().unwrap_err();
        insta::assert_snapshot!(error, @"unknown format `xml`, expected one of: full, concise, json, jsonl, sarif, github, markdown");
    }

    #[test]
    fn every_format_renders_nothing_and_ends_with_a_line_break_otherwise() {
        let (file, diagnostic) = (sample::file(), sample::stale_read());
        for format in Format::ALL {
            let nothing = render(format, &[], Style::default());
            assert!(nothing.is_empty() || nothing.ends_with('\n'), "{format}: {nothing:?}");
            let something = render(format, &[(&file, &diagnostic)], Style::default());
            assert!(something.ends_with('\n'), "{format}: {something:?}");
        }
    }
}
