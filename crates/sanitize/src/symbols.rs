//! Looks up names and lines for addresses, in the debug information of the modules.

use crate::record::{Module, Record};
use addr2line::{FrameIter, Loader};
use object::{Object, ObjectSection, ObjectSymbol, SectionKind, SymbolKind};
use std::collections::BTreeMap;
use std::path::Path;

/// A place in the program, with names and lines.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Frame {
    /// The function, if it is known.
    pub function: Option<String>,
    /// The file, if it is known.
    pub file: Option<String>,
    /// The line, from 1.
    pub line: Option<u32>,
    /// The column, from 1.
    pub column: Option<u32>,
    /// The executable or library.
    pub module: Option<String>,
    /// The address in the module.
    pub offset: u64,
}

/// A global variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Global {
    /// Its name.
    pub name: String,
    /// Its size.
    pub bytes: u64,
    /// The offset of the access in it.
    pub distance: u64,
}

/// Looks up symbols, and caches the modules that it has read.
#[derive(Default)]
pub struct Symbols {
    modules: BTreeMap<String, Option<Known>>,
}

struct Known {
    lines: Option<Loader>,
    /// Data symbols: address, size, name.
    data: Vec<(u64, u64, String)>,
    functions: Functions,
}

/// The functions of a symbol table, as address, size and name, in this order.
struct Functions {
    sized: Vec<(u64, u64, String)>,
    /// Functions in assembly without a size: they reach to the next symbol, or the end of their section.
    unsized_: Vec<(u64, u64, String)>,
}

impl Functions {
    fn read(file: &object::File<'_>) -> Self {
        let mut all = Vec::new();
        for symbol in file.symbols().chain(file.dynamic_symbols()) {
            let Some(section) = symbol.section_index().and_then(|index| file.section_by_index(index).ok()) else {
                continue;
            };
            let is_code = matches!(symbol.kind(), SymbolKind::Text | SymbolKind::Unknown);
            if let (true, SectionKind::Text, Ok(name)) = (is_code, section.kind(), symbol.name()) {
                all.push((symbol.address(), symbol.size(), section.address() + section.size(), name.to_owned()));
            }
        }
        Self::new(all)
    }

    /// From functions as address, size, end of the section, and name.
    fn new(mut all: Vec<(u64, u64, u64, String)>) -> Self {
        all.sort();
        let starts: Vec<u64> = all.iter().map(|&(start, ..)| start).collect();
        let (mut sized, mut unsized_) = (Vec::new(), Vec::new());
        for (start, size, end, name) in all {
            if size > 0 {
                sized.push((start, size, name));
            } else {
                let next = starts.get(starts.partition_point(|&other| other <= start)).copied().unwrap_or(end);
                unsized_.push((start, next.min(end).saturating_sub(start), name));
            }
        }
        Self { sized, unsized_ }
    }

    /// The function that contains this address. A function that ends before it does not count, however near it is.
    fn find(&self, offset: u64) -> Option<&str> {
        let within = |functions: &'_ [(u64, u64, String)]| {
            let before = functions.partition_point(|&(start, ..)| start <= offset);
            functions[..before].iter().rposition(|(start, size, _)| offset - start < *size)
        };
        let sized = within(&self.sized).map(|index| &self.sized[index]);
        sized.or_else(|| within(&self.unsized_).map(|index| &self.unsized_[index])).map(|(_, _, name)| &**name)
    }
}

impl Symbols {
    /// An empty cache.
    pub fn new() -> Self {
        Self::default()
    }

    /// The frames of a return address: several if functions were inlined, innermost first.
    pub fn frames(&mut self, record: &Record, address: u64) -> Vec<Frame> {
        let Some(module) = record.module(address) else {
            return vec![Frame { offset: address, ..Frame::default() }];
        };
        let offset = address - module.base;
        let bare = Frame { module: Some(module.path.clone()), offset, ..Frame::default() };
        // The call instruction is before its return address.
        let frames = self.lookup(module).map(|known| known.frames(offset.saturating_sub(1), &bare)).unwrap_or_default();
        if frames.is_empty() { vec![bare] } else { frames }
    }

    /// The variable at an address.
    pub fn global(&mut self, record: &Record, address: u64) -> Option<Global> {
        let module = record.module(address)?;
        let offset = address - module.base;
        let known = self.lookup(module)?;
        let index = known.data.partition_point(|&(start, ..)| start <= offset).checked_sub(1)?;
        let (start, bytes, name) = &known.data[index];
        let inside = offset - start < (*bytes).max(1);
        inside.then(|| Global { name: demangle(name), bytes: *bytes, distance: offset - start })
    }

    fn lookup(&mut self, module: &Module) -> Option<&Known> {
        self.modules.entry(module.path.clone()).or_insert_with(|| Known::read(Path::new(&module.path))).as_ref()
    }
}

impl Known {
    fn read(path: &Path) -> Option<Self> {
        let bytes = std::fs::read(path).ok()?;
        let file = object::File::parse(&*bytes).ok()?;
        let variables = file.symbols().filter(|symbol| symbol.kind() == SymbolKind::Data);
        let mut data: Vec<_> = variables
            .filter_map(|symbol| Some((symbol.address(), symbol.size(), symbol.name().ok()?.to_owned())))
            .collect();
        data.sort();
        Some(Self { lines: Loader::new(path).ok(), data, functions: Functions::read(&file) })
    }

    fn frames(&self, offset: u64, bare: &Frame) -> Vec<Frame> {
        let mut found = Vec::new();
        let mut frames = self.lines.as_ref().and_then(|lines| lines.find_frames(offset).ok());
        while let Some(Ok(Some(frame))) = frames.as_mut().map(FrameIter::next) {
            let function = frame.function.as_ref().and_then(|function| Some(demangle(&function.raw_name().ok()?)));
            let location = frame.location;
            found.push(Frame {
                function,
                file: location.as_ref().and_then(|location| location.file).map(str::to_owned),
                line: location.as_ref().and_then(|location| location.line),
                column: location.as_ref().and_then(|location| location.column).filter(|&column| column > 0),
                ..bare.clone()
            });
        }
        // Without debug information, use the symbol table.
        if found.iter().all(|frame| frame.function.is_none()) {
            let function = self.functions.find(offset).map(demangle);
            match found.last_mut() {
                Some(frame) => frame.function = function,
                None => found.extend(function.map(|function| Frame { function: Some(function), ..bare.clone() })),
            }
        }
        found
    }
}

/// Demangles a name. Other names stay as they are: `x` is a variable here, and not the code of a type.
fn demangle(name: &str) -> String {
    if !name.starts_with("_Z") && !name.starts_with("_R") {
        return name.to_owned();
    }
    addr2line::demangle_auto(name.into(), None).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_ends_where_its_symbol_says() {
        let symbols =
            [(0x10, 1, "first"), (0x20, 0x20, "outer"), (0x24, 4, "inner"), (0x50, 0, "assembly"), (0x60, 8, "last")];
        let functions = Functions::new(
            symbols.map(|(start, size, name): (u64, u64, &str)| (start, size, 0x80, name.to_owned())).to_vec(),
        );
        let expected = [
            (0x10, Some("first")),
            (0x11, None),
            (0x23, Some("outer")),
            (0x25, Some("inner")),
            (0x30, Some("outer")),
            (0x40, None),
            (0x5f, Some("assembly")),
            (0x60, Some("last")),
            (0x68, None),
        ];
        for (offset, name) in expected {
            assert_eq!(functions.find(offset), name, "{offset:#x}");
        }
    }
}
