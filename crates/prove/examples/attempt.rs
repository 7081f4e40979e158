use steadfast_prove::*;
fn main() {
    for name in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&name).unwrap();
        let file = steadfast_span::SourceFile::new(&name, &text);
        let (parsed, template) = steadfast_lang::parse_template(&file);
        let (Some(program), Some(template)) = (parsed.program, template) else {
            println!("{name}: {:?}", parsed.diagnostics);
            continue;
        };
        let start = std::time::Instant::now();
        let outcome = prove(&program, &template, &Options { solver: SolverOptions::default(), stop: &|| false });
        let t = start.elapsed();
        let show = |s: steadfast_span::Span| text[s.start as usize..s.end as usize].to_string();
        match outcome {
            Outcome::Proved(p) => {
                println!(
                    "{name}: {:?} movers {} questions {} {t:?} peeled {} {:?}",
                    p.claim,
                    p.movers,
                    p.questions,
                    p.peeled,
                    p.guesses.iter().map(|&(s, g)| (show(s), g)).collect::<Vec<_>>()
                );
                for w in &p.writes {
                    println!(
                        "    {} {:?} {:?} reads {:?}",
                        show(w.span),
                        w.reason,
                        w.claim,
                        w.reads.iter().map(|&s| show(s)).collect::<Vec<_>>()
                    );
                }
            }
            Outcome::NotProved(f) => println!(
                "{name}: NOT {:?} read {:?} write over {:?} read over {:?} {:?} {t:?}",
                show(f.write),
                f.read.map(show),
                f.write_over.map(show),
                f.read_over.map(show),
                f.values
            ),
            other => println!("{name}: {other:?} {t:?}"),
        }
    }
}
