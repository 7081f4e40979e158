use steadfast_robust::*;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let model: Model = a[1].parse().unwrap();
    let notion: Notion = a[2].parse().unwrap();
    let jobs: usize = a[3].parse().unwrap();
    for f in &a[4..] {
        let text = std::fs::read_to_string(f).unwrap();
        let file = steadfast_span::SourceFile::new(f.clone(), text);
        let parsed = steadfast_lang::parse(&file, steadfast_lang::Dialect::detect(f, file.text()));
        let Some(p) = parsed.program else {
            println!("{f} PARSE ERROR");
            continue;
        };
        let mut o = Options::new(model, notion);
        o.jobs = jobs;
        o.joint = std::env::var("JOINT").is_ok();
        o.spin = std::env::var("SPIN").is_ok();
        o.fences_by_the_letter = std::env::var("LETTER").is_ok();
        if std::env::var("NOSYM").is_ok() {
            o.reductions.symmetry = false;
        }
        let r = check(&p, &o);
        let e: Vec<_> = parsed
            .expectations
            .iter()
            .filter(|e| e.model == model.name() && e.notion == notion.name())
            .map(|e| format!("{:?}", e.verdict))
            .collect();
        let v = match &r.verdict {
            Verdict::Robust => "Robust".to_string(),
            Verdict::NotRobust(w) => {
                if !w.confirmed {
                    println!("UNCONFIRMED {f}");
                }
                "NotRobust".into()
            }
            Verdict::Race(w) => {
                if !w.confirmed {
                    println!("UNCONFIRMED {f}");
                }
                "Race".into()
            }
            Verdict::Failed(_) => "Failed".into(),
            Verdict::Inconclusive(b) => format!("Inconclusive {b}"),
            Verdict::Unsupported(t) => t.clone(),
        };
        let ok = e.is_empty() || e.iter().any(|e| *e == v || (e == "NotRobust" && (v == "Race" || v == "Failed")));
        println!(
            "{} {:55} {:12} {:?} {:?}",
            if ok { "  " } else { "!!" },
            f.rsplit("rocker/").next().unwrap(),
            v,
            e,
            r.statistics
        );
    }
}
