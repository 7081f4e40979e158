//! The places where a TPL program could be changed; see [`crate::sites`].

use super::ast::{AccessKind, File, Statement, StatementKind};
use crate::sites::{
    self, Braces, Edit, Form, Item, READ_ORDERS, RMW_ORDERS, Site, Variant, WRITE_ORDERS, call_of, gap_sites,
};
use steadfast_ir::{FenceOrder, ReadOrder, RmwOrder, WriteOrder};
use steadfast_span::Span;

/// All sites of a file, in any order.
pub(super) fn sites(text: &str, file: &File<'_>) -> Vec<Site> {
    let mut finder = Finder { text, braces: Braces::of(text), found: Vec::new() };
    for thread in &file.threads {
        finder.block(&thread.body, true);
    }
    finder.found
}

struct Finder<'a> {
    text: &'a str,
    braces: Braces,
    found: Vec<Site>,
}

impl Finder<'_> {
    fn block(&mut self, statements: &[Statement<'_>], is_thread: bool) {
        let block = sites::Block { items: statements.iter().map(item).collect(), is_thread };
        self.found.extend(gap_sites(self.text, &self.braces, &block, &fence_name));
        for statement in statements {
            match &statement.kind {
                StatementKind::If { then, otherwise, .. } => {
                    self.block(then, false);
                    self.block(otherwise, false);
                }
                StatementKind::While { body, .. } => self.block(body, false),
                StatementKind::OneOf(branches) => branches.iter().for_each(|branch| self.block(branch, false)),
                StatementKind::Access { dst, location, access } => {
                    let site = access_site(self.text, statement.span, location.text, dst.is_some(), access);
                    self.found.extend(site);
                }
                _ => {}
            }
        }
    }
}

fn item(statement: &Statement<'_>) -> Item {
    let kind = &statement.kind;
    let local = matches!(
        kind,
        StatementKind::Local(_)
            | StatementKind::Skip
            | StatementKind::Assert(_)
            | StatementKind::Assume(_)
            | StatementKind::Verify(_)
            | StatementKind::Assign { .. }
    );
    let blocks = matches!(kind, StatementKind::If { .. } | StatementKind::While { .. } | StatementKind::OneOf(_));
    let simple = !blocks && !matches!(kind, StatementKind::Label(_));
    let fence = if let StatementKind::Fence(order) = kind { Some(*order) } else { None };
    Item { span: statement.span, simple, local, jumps: matches!(kind, StatementKind::Goto(_)), fence }
}

fn access_site(text: &str, span: Span, location: &str, used: bool, access: &AccessKind<'_>) -> Option<Site> {
    let now = match access {
        AccessKind::Load(order) | AccessKind::Wait(_, order) => Form::Load(*order),
        AccessKind::Store(_, order) => Form::Store(*order),
        AccessKind::Exchange(_, order) if !used => Form::Exchange(*order),
        AccessKind::FetchAdd(_, order) | AccessKind::Exchange(_, order) | AccessKind::BlockingCas(_, _, order) => {
            Form::Rmw(*order)
        }
        AccessKind::Cas(_, _, order) => Form::Cas(*order, order.read()),
        AccessKind::PlainLoad | AccessKind::PlainStore(_) | AccessKind::Lock | AccessKind::Unlock => return None,
    };
    let mut arguments = call_of(text, span)?;
    let is_mode = |span: &Span| matches!(&text[span.range()], "rlx" | "acq" | "rel");
    let modes = arguments.iter().position(is_mode).map_or(Vec::new(), |at| arguments.split_off(at));
    let writer = Writer { span, location, value: arguments.last().map(|value| &text[value.range()]), modes, arguments };
    let others = forms(now).into_iter().filter(|&form| form != now);
    let variants = others.filter_map(|form| Some(Variant { form, edits: writer.edits(now, form)? })).collect();
    Some(Site { span, now, variants })
}

/// The other possible forms of an access. TPL has no `seq_cst` accesses.
fn forms(now: Form) -> Vec<Form> {
    let updates = || RMW_ORDERS.into_iter().filter(|&order| order != RmwOrder::SeqCst);
    let stores = || WRITE_ORDERS.into_iter().filter(|&order| order != WriteOrder::SeqCst).map(Form::Store);
    match now {
        Form::Load(_) => READ_ORDERS.into_iter().filter(|&order| order != ReadOrder::SeqCst).map(Form::Load).collect(),
        Form::Store(_) => stores().chain(updates().map(Form::Exchange)).collect(),
        Form::Exchange(_) => updates().map(Form::Exchange).chain(stores()).collect(),
        Form::Rmw(_) => updates().map(Form::Rmw).collect(),
        Form::Cas(..) => updates().map(|order| Form::Cas(order, order.read())).collect(),
        Form::Nothing | Form::Fence(_) => Vec::new(),
    }
}

/// The text of an access.
struct Writer<'a> {
    span: Span,
    location: &'a str,
    value: Option<&'a str>,
    modes: Vec<Span>,
    arguments: Vec<Span>,
}

impl Writer<'_> {
    fn edits(&self, now: Form, form: Form) -> Option<Vec<Edit>> {
        let (location, words) = (self.location, words(form));
        match (now, form) {
            (Form::Store(_), Form::Exchange(_)) => {
                Some(vec![Edit::replace(self.span, format!("exchange({location}, {}, {words})", self.value?))])
            }
            (Form::Exchange(_), Form::Store(_)) => {
                Some(vec![Edit::replace(self.span, format!("{location}.store({}, {words})", self.value?))])
            }
            _ => Some(vec![self.modes_as(words)]),
        }
    }

    fn modes_as(&self, words: String) -> Edit {
        match (self.modes.as_slice(), self.arguments.last()) {
            ([first, .., last], _) => Edit::replace(first.to(*last), words),
            ([only], _) => Edit::replace(*only, words),
            ([], Some(last)) => Edit::insert(last.end, format!(", {words}")),
            ([], None) => Edit::insert(self.span.end - 1, words),
        }
    }
}

fn words(form: Form) -> String {
    let read = |order: ReadOrder| if order.is_acquire() { "acq" } else { "rlx" };
    let write = |order: WriteOrder| if order.is_release() { "rel" } else { "rlx" };
    match form {
        Form::Load(order) => read(order).to_owned(),
        Form::Store(order) => write(order).to_owned(),
        Form::Exchange(order) | Form::Rmw(order) | Form::Cas(order, _) => {
            format!("{}, {}", read(order.read()), write(order.write()))
        }
        Form::Fence(order) => fence_name(order).to_owned(),
        Form::Nothing => String::new(),
    }
}

fn fence_name(order: FenceOrder) -> &'static str {
    match order {
        FenceOrder::Acquire => "acq",
        FenceOrder::Release => "rel",
        FenceOrder::AcqRel => "acq_rel",
        FenceOrder::SeqCst => "seq_cst",
    }
}
