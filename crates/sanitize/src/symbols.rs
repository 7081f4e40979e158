//! Names and lines for addresses, from the debug information of the modules.

use crate::record::{Module, Record};
use addr2line::Loader;
use object::{Object, ObjectSymbol};
use std::collections::BTreeMap;
use std::path::Path;

/// Where the program was, as people say it.
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
    /// The address in that.
    pub offset: u64,
}

/// A global variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Global {
    /// Its name.
    pub name: String,
    /// Its size.
    pub bytes: u64,
    /// How far behind its beginning the access is.
    pub distance: u64,
}

/// Looks things up, and keeps the modules that it has read.
#[derive(Default)]
pub struct Symbols {
    modules: BTreeMap<String, Option<Known>>,
}

struct Known {
    lines: Option<Loader>,
    /// Data symbols: address, size, name.
    data: Vec<(u64, u64, String)>,
}

impl Symbols {
    /// Knows nothing yet.
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
        // The call is before the address that it returns to.
        let frames =
            self.lookup(module).and_then(|known| known.frames(offset.saturating_sub(1), &bare)).unwrap_or_default();
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
        let variables = file.symbols().filter(|symbol| symbol.kind() == object::SymbolKind::Data);
        let mut data: Vec<_> = variables
            .filter_map(|symbol| Some((symbol.address(), symbol.size(), symbol.name().ok()?.to_owned())))
            .collect();
        data.sort();
        Some(Self { lines: Loader::new(path).ok(), data })
    }

    fn frames(&self, offset: u64, bare: &Frame) -> Option<Vec<Frame>> {
        let lines = self.lines.as_ref()?;
        let mut found = Vec::new();
        let mut frames = lines.find_frames(offset).ok()?;
        while let Ok(Some(frame)) = frames.next() {
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
        // Without debug information there is at least the symbol table.
        if found.iter().all(|frame| frame.function.is_none()) {
            let function = lines.find_symbol(offset).map(demangle);
            match found.last_mut() {
                Some(frame) => frame.function = function,
                None => found.extend(function.map(|function| Frame { function: Some(function), ..bare.clone() })),
            }
        }
        Some(found)
    }
}

/// Names that are not mangled are left alone: `x` is a variable here, and not the code of a type.
fn demangle(name: &str) -> String {
    if !name.starts_with("_Z") && !name.starts_with("_R") {
        return name.to_owned();
    }
    addr2line::demangle_auto(name.into(), None).into_owned()
}
