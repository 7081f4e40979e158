//! The places between statements, and the fences that exist already.

use super::{Braces, Edit, FENCE_ORDERS, Form, Site, Variant};
use steadfast_ir::FenceOrder;
use steadfast_span::Span;

/// A statement, with what matters for a fence beside it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Item {
    /// Its place, without its semicolon; for a statement with blocks, the place of its head.
    pub(crate) span: Span,
    /// Whether it ends with a semicolon and has no blocks.
    pub(crate) simple: bool,
    /// Whether it has no access and simply continues, so that a fence on its other side has the same effect.
    pub(crate) local: bool,
    /// Whether control does not fall through to the next statement.
    pub(crate) jumps: bool,
    /// Its ordering, if it is a fence.
    pub(crate) fence: Option<FenceOrder>,
}

/// The statements of a block.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    /// The statements, in order.
    pub(crate) items: Vec<Item>,
    /// Whether it is the body of a thread.
    pub(crate) is_thread: bool,
}

/// The sites between the statements of a block, and its fences. `name` returns the spelling of an ordering of a fence.
pub(crate) fn gap_sites(
    text: &str,
    braces: &Braces,
    block: &Block,
    name: &dyn Fn(FenceOrder) -> &'static str,
) -> Vec<Site> {
    let writer = Writer { text, braces, name };
    let Some(first) = block.items.first() else { return Vec::new() };
    if braces.before(first.span.start) != Some(b'{') {
        // The single statement of an `if` without braces.
        return Vec::new();
    }
    let mut sites = Vec::new();
    let items = &block.items;
    for (at, item) in items.iter().enumerate() {
        sites.extend(item.fence.and_then(|order| writer.existing(*item, order)));
        let before = at.checked_sub(1).map(|before| items[before]);
        let redundant = before.is_some_and(|before| before.local || before.jumps || before.fence.is_some());
        if !redundant && item.fence.is_none() {
            sites.push(site(|order| writer.between(before, *item, order)));
        }
    }
    let last = items[items.len() - 1];
    if !block.is_thread && !last.local && !last.jumps && last.fence.is_none() {
        sites.extend(braces.closing(last.span.start).map(|close| site(|order| writer.at_end(last, close, order))));
    }
    sites
}

struct Writer<'a> {
    text: &'a str,
    braces: &'a Braces,
    name: &'a dyn Fn(FenceOrder) -> &'static str,
}

impl Writer<'_> {
    fn statement(&self, order: FenceOrder) -> String {
        format!("fence({});", (self.name)(order))
    }

    /// Below the previous statement, if that has its own line; otherwise in front of the next one.
    fn between(&self, before: Option<Item>, next: Item, order: FenceOrder) -> Edit {
        if let Some((end, indent)) = before.filter(|item| item.simple).and_then(|item| self.line_of(item)) {
            return Edit::insert(end, format!("{}{indent}{}", self.line_break(), self.statement(order)));
        }
        let start = next.span.start;
        match self.indentation(start) {
            Some(indent) => Edit::insert(start, format!("{}{}{indent}", self.statement(order), self.line_break())),
            None => Edit::insert(start, format!("{} ", self.statement(order))),
        }
    }

    /// In front of the brace that closes the block.
    fn at_end(&self, last: Item, close: u32, order: FenceOrder) -> Edit {
        if let Some((end, indent)) = Some(last).filter(|item| item.simple).and_then(|item| self.line_of(item)) {
            return Edit::insert(end, format!("{}{indent}{}", self.line_break(), self.statement(order)));
        }
        match (self.indentation(close), self.indentation(last.span.start)) {
            (Some(outer), Some(inner)) => {
                let line = close - outer.len() as u32;
                Edit::insert(line, format!("{inner}{}{}", self.statement(order), self.line_break()))
            }
            _ => Edit::insert(close, format!("{} ", self.statement(order))),
        }
    }

    /// The end and the indentation of the line of a simple statement, if only a comment shares the line with it.
    fn line_of(&self, item: Item) -> Option<(u32, String)> {
        let indent = self.indentation(item.span.start)?;
        let after = self.braces.semicolon(item.span.end)? + 1;
        let rest = &self.text[after as usize..];
        let line = rest.split('\n').next().unwrap_or("").trim_end_matches('\r');
        let alone = line.trim().is_empty() || line.trim_start().starts_with("//");
        alone.then(|| (after + line.len() as u32, indent))
    }

    /// The indentation before an offset, if there is nothing else before it on its line.
    fn indentation(&self, offset: u32) -> Option<String> {
        let before = &self.text[..offset as usize];
        let line = &before[before.rfind('\n').map_or(0, |at| at + 1)..];
        line.chars().all(char::is_whitespace).then(|| line.to_owned())
    }

    fn line_break(&self) -> &'static str {
        if self.text.contains("\r\n") { "\r\n" } else { "\n" }
    }

    /// An existing fence, with its other orderings and its removal.
    fn existing(&self, item: Item, now: FenceOrder) -> Option<Site> {
        let semicolon = self.braces.semicolon(item.span.end)?;
        let mut variants = vec![Variant { form: Form::Nothing, edits: vec![self.removal(item, semicolon)] }];
        for order in FENCE_ORDERS.into_iter().filter(|&order| order != now) {
            let statement = self.statement(order);
            let edit = Edit::replace(item.span, statement.trim_end_matches(';'));
            variants.push(Variant { form: Form::Fence(order), edits: vec![edit] });
        }
        Some(Site { span: item.span, now: Form::Fence(now), variants })
    }

    /// Removes a statement, with its line if it has its own line.
    fn removal(&self, item: Item, semicolon: u32) -> Edit {
        let statement = Span::new(item.span.start, semicolon + 1);
        let whole = self.indentation(item.span.start).and_then(|indent| {
            let rest = &self.text[statement.end as usize..];
            let line = rest.split_inclusive('\n').next().unwrap_or("");
            let blank = line.ends_with('\n') && line.trim().is_empty();
            blank.then(|| Span::new(statement.start - indent.len() as u32, statement.end + line.len() as u32))
        });
        Edit::replace(whole.unwrap_or(statement), "")
    }
}

/// A place for a fence, with the edit for each ordering.
fn site(edit: impl Fn(FenceOrder) -> Edit) -> Site {
    let variant = |order| Variant { form: Form::Fence(order), edits: vec![edit(order)] };
    let variants = FENCE_ORDERS.map(variant).to_vec();
    Site { span: variants[0].edits[0].span, now: Form::Nothing, variants }
}
