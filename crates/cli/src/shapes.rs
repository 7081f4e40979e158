//! The classic shapes of violations, which `steadfast explain` knows by their names. Their pages are in `docs/explain`.

/// A page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// The name, in small letters.
    pub(crate) name: &'static str,
    /// The page, whose first line is its title.
    pub(crate) page: &'static str,
}

/// All shapes, those of memory first.
pub(crate) static SHAPES: [Shape; 9] = [
    Shape { name: "sb", page: include_str!("../../../docs/explain/sb.md") },
    Shape { name: "mp", page: include_str!("../../../docs/explain/mp.md") },
    Shape { name: "lb", page: include_str!("../../../docs/explain/lb.md") },
    Shape { name: "iriw", page: include_str!("../../../docs/explain/iriw.md") },
    Shape { name: "2+2w", page: include_str!("../../../docs/explain/2+2w.md") },
    Shape { name: "wrc", page: include_str!("../../../docs/explain/wrc.md") },
    Shape { name: "lost-update", page: include_str!("../../../docs/explain/lost-update.md") },
    Shape { name: "write-skew", page: include_str!("../../../docs/explain/write-skew.md") },
    Shape { name: "long-fork", page: include_str!("../../../docs/explain/long-fork.md") },
];

impl Shape {
    /// Looks a shape up as a user may type it: `SB`, `write skew`.
    pub(crate) fn find(name: &str) -> Option<Self> {
        let wanted = name.trim().to_lowercase().replace([' ', '_'], "-");
        SHAPES.into_iter().find(|shape| shape.name == wanted)
    }

    /// Its title.
    pub(crate) fn title(self) -> &'static str {
        self.page.lines().next().unwrap_or_default().trim_start_matches("# ")
    }

    /// The text below the title.
    pub(crate) fn text(self) -> &'static str {
        self.page.split_once('\n').map_or("", |(_, text)| text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_found_however_they_are_typed() {
        assert_eq!(Shape::find(" Write Skew ").map(|shape| shape.name), Some("write-skew"));
        assert_eq!(Shape::find("2+2W").map(|shape| shape.name), Some("2+2w"));
        assert!(Shape::find("quux").is_none());
    }

    #[test]
    fn pages_are_whole_and_fit_a_terminal() {
        for shape in SHAPES {
            assert!(shape.page.starts_with("# ") && shape.page.ends_with('\n'), "{}", shape.name);
            assert!(shape.page.lines().all(|line| line.chars().count() <= 80), "{}", shape.name);
            assert!(shape.page.contains("What to do") && shape.page.matches("```").count() == 2, "{}", shape.name);
        }
    }
}
