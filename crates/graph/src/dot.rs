//! Graphviz pictures of executions: a column per thread, the edges in colour, and a cycle in bold.

use crate::names::Numbers;
use crate::{Base, EdgeKind, Event, EventId, EventKind, Execution, LabelledCycle, Names};
use std::fmt::Write;
use steadfast_ir::{LocId, ThreadId};
use steadfast_span::Index;

/// The execution in Graphviz's language.
///
/// Names come from the program if there is one. Of transitive relations only the immediate edges are drawn, and every edge of the
/// cycle, in bold.
pub fn dot(graph: &Execution, names: Option<&dyn Names>, cycle: Option<&LabelledCycle>) -> String {
    draw(graph, names.unwrap_or(&Numbers), cycle.map_or(&[][..], Vec::as_slice), None)
}

/// The same, with an edge between two accesses that race.
pub(crate) fn draw(
    graph: &Execution,
    names: &dyn Names,
    cycle: &[(EventId, EdgeKind)],
    race: Option<(EventId, EventId)>,
) -> String {
    let mut text = String::from("digraph execution {\n  node [shape=box, style=rounded, fontname=\"monospace\"];\n");
    text.push_str("  edge [fontname=\"monospace\", fontsize=10];\n");
    let labels = Labels { graph, names };
    for (id, event) in graph.events().filter(|(_, event)| event.thread.is_none()) {
        let _ = writeln!(text, "  {};", node(id, &labels.event(event), false));
    }
    for (at, thread) in graph.threads().iter().enumerate() {
        let name = escape(&names.thread(ThreadId::new(at)));
        let _ = writeln!(text, "  subgraph cluster_{at} {{\n    label=\"{name}\"; color=gray;");
        for &id in thread {
            let in_cycle = cycle.iter().any(|&(on, _)| on == id);
            let _ = writeln!(text, "    {};", node(id, &labels.event(graph.event(id)), in_cycle));
        }
        text.push_str("  }\n");
    }
    for edge in edges(graph, cycle) {
        let _ = writeln!(text, "  {edge}");
    }
    if let Some((first, second)) = race {
        let (first, second) = (first.index(), second.index());
        let style = "color=firebrick, fontcolor=firebrick, constraint=false, dir=both, penwidth=2.5";
        let _ = writeln!(text, "  e{first} -> e{second} [label=\"race\", {style}];");
    }
    text.push_str("}\n");
    text
}

fn node(id: EventId, label: &str, bold: bool) -> String {
    let extra = if bold { ", penwidth=2" } else { "" };
    format!("e{} [label=\"{}\"{extra}]", id.index(), escape(label))
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

/// The edges to draw: what a reader needs to reconstruct the relations, and the cycle.
fn edges(graph: &Execution, cycle: &[(EventId, EdgeKind)]) -> Vec<String> {
    let base = Base::of(graph);
    let next = cycle.iter().cycle().skip(1);
    let highlighted: Vec<_> = cycle.iter().zip(next).map(|(&(from, kind), &(to, _))| (from, to, kind)).collect();
    let mut wanted = immediate_edges(graph, &base);
    wanted.extend(highlighted.iter().filter(|edge| !wanted.contains(edge)).copied().collect::<Vec<_>>());
    wanted.into_iter().map(|edge| arrow(edge, highlighted.contains(&edge))).collect()
}

fn immediate_edges(graph: &Execution, base: &Base) -> Vec<(EventId, EventId, EdgeKind)> {
    let consecutive = |events: &[EventId], kind| -> Vec<_> { events.windows(2).map(|w| (w[0], w[1], kind)).collect() };
    let mut found = Vec::new();
    graph.threads().iter().for_each(|thread| found.extend(consecutive(thread, EdgeKind::Po)));
    found.extend(base.rf.pairs().map(|(from, to)| (from, to, EdgeKind::Rf)));
    for location in (0..graph.location_count()).map(LocId::new) {
        found.extend(consecutive(graph.mo(location), EdgeKind::Mo));
    }
    for (read, event) in graph.events().filter(|(_, event)| event.kind != EventKind::Update) {
        let Some((source, location)) = graph.rf(read).zip(event.location) else { continue };
        let overwriting = graph.mo(location).iter().skip_while(|&&write| write != source).nth(1);
        found.extend(overwriting.map(|&write| (read, write, EdgeKind::Fr)));
    }
    found.extend(graph.before().iter().map(|&(from, to)| (from, to, EdgeKind::Before)));
    found
}

fn arrow((from, to, kind): (EventId, EventId, EdgeKind), bold: bool) -> String {
    let color = match kind {
        EdgeKind::Po => "black",
        EdgeKind::Rf => "forestgreen",
        EdgeKind::Mo => "royalblue",
        EdgeKind::Fr => "firebrick",
        EdgeKind::Before => "gray40",
    };
    // Only program order decides what is above what.
    let rank = if kind == EdgeKind::Po { "" } else { ", constraint=false" };
    let width = if bold { ", penwidth=2.5" } else { "" };
    // It stands for a path that is not shown.
    let dashes = if kind == EdgeKind::Before { ", style=dashed" } else { "" };
    let (from, to, name) = (from.index(), to.index(), kind.name());
    format!("e{from} -> e{to} [label=\"{name}\", color={color}, fontcolor={color}{rank}{width}{dashes}];")
}

struct Labels<'a> {
    graph: &'a Execution,
    names: &'a dyn Names,
}

impl Labels<'_> {
    fn location(&self, location: LocId) -> String {
        if self.graph.is_ghost(location) { "f".into() } else { self.names.location(location) }
    }

    fn event(&self, event: &Event) -> String {
        let location = event.location.map_or(String::new(), |location| self.location(location));
        let begins = event.location.is_none_or(|location| self.names.begins(location));
        let shown = |value| self.names.value(value);
        let (read, written, order) = (shown(event.value_read), shown(event.value_written), event.order.short_name());
        match event.kind {
            _ if event.thread.is_none() && !begins => format!("older {location}"),
            _ if event.thread.is_none() => format!("init {location} = {written}"),
            EventKind::Read => format!("R({order}) {location} = {read}"),
            EventKind::WaitRead | EventKind::FailedCas => format!("R*({order}) {location} = {read}"),
            EventKind::PlainRead => format!("R(na) {location} = {read}"),
            EventKind::Write => format!("W({order}) {location} = {written}"),
            EventKind::PlainWrite => format!("W(na) {location} = {written}"),
            EventKind::Update => format!("U({order}) {location} = {read} → {written}"),
            EventKind::Fence => format!("F({order})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Order;

    #[test]
    fn a_picture_has_columns_edges_and_a_bold_cycle() {
        let (t, u, x, y) = (ThreadId::new(0), ThreadId::new(1), LocId::new(0), LocId::new(1));
        let mut graph = Execution::new([0, 0]);
        graph.add_sc(Event::store(t, x, 1, Order::RELAXED));
        graph.add_sc(Event::store(t, y, 1, Order::RELEASE));
        graph.add_sc(Event::load(u, y, 1, Order::ACQUIRE));
        graph.add(Event::load(u, x, 0, Order::RELAXED), graph.initial_write(x));
        let text = dot(&graph, None, graph.labelled_cycle().as_ref());
        assert!(text.starts_with("digraph execution {"));
        assert!(text.contains("subgraph cluster_1"));
        assert!(text.contains("e5 [label=\"R(rlx) x0 = 0\", penwidth=2];"), "{text}");
        assert!(text.contains(
            "e5 -> e2 [label=\"fr\", color=firebrick, fontcolor=firebrick, constraint=false, penwidth=2.5];"
        ));
        assert_eq!(text.matches("penwidth=2.5").count(), 4, "{text}");
    }
}
