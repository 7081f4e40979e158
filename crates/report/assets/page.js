"use strict";
(() => {
  const root = document.documentElement;
  const find = (id) => document.getElementById(id);

  const block = find("data");
  if (!block) return;
  const data = JSON.parse(block.textContent);
  const slider = find("step");
  const status = find("status");
  const canvas = find("canvas");
  const drawn = [...canvas.querySelectorAll("[data-step]")];
  const worlds = [...document.querySelectorAll('input[name="world"]')];
  let wanted = "weak";

  const element = (name, text, className) => {
    const made = document.createElement(name);
    made.textContent = text;
    if (className) made.className = className;
    return made;
  };

  // Which ending is shown: before the step that leaves it, the run is the strong model's.
  const world = (step) => (data.offending && step >= data.offending ? wanted : "strong");

  const effect = (at, step) => (step.strong !== null && world(at) === "strong" ? step.strong : step.effect);

  const say = (at) => {
    if (at === 0) return "Start: no thread has taken a step.";
    const step = data.steps[at - 1];
    const place = step.line === null ? "" : `, line ${step.line}`;
    const code = step.code ? `: ${step.code}` : "";
    const done = effect(at, step);
    return `Step ${at} of ${data.steps.length}: ${step.who}${place}${code}${done ? ` — ${done}` : ""}`;
  };

  const showSource = (at) => {
    document.querySelectorAll(".line.now, .line.visited").forEach((line) => line.classList.remove("now", "visited"));
    data.steps.slice(0, at).forEach((step, number) => {
      const line = step.line === null ? null : find(`line-${step.source}-${step.line}`);
      if (!line) return;
      line.classList.add("visited");
      if (number === at - 1) {
        line.classList.add("now");
        reveal(line, line.closest(".scroll"));
      }
    });
  };

  // Scrolls a box so that something in it can be seen, and nothing else.
  const reveal = (target, scroller) => {
    const inner = target.getBoundingClientRect();
    const outer = scroller.getBoundingClientRect();
    const move = (start, end, from, to) => (start < from + 20 || end > to - 20 ? (start + end - from - to) / 2 : 0);
    scroller.scrollTop += move(inner.top, inner.bottom, outer.top, outer.bottom);
    scroller.scrollLeft += move(inner.left, inner.right, outer.left, outer.right);
  };

  const showGraph = (at) => {
    for (const part of drawn) part.classList.toggle("future", Number(part.dataset.step) > at);
    canvas.querySelectorAll(".node.now").forEach((node) => node.classList.remove("now"));
    const node = at > 0 && data.steps[at - 1].node !== null ? find(`node-${data.steps[at - 1].node}`) : null;
    if (!node) return;
    // At the end, the cycle is what counts.
    const end = data.offending === null && at === data.steps.length;
    if (world(at) === "strong" && !end) node.classList.add("now");
    reveal(node, canvas);
  };

  const showRun = (at) => {
    document.querySelectorAll("tr.now").forEach((row) => row.classList.remove("now"));
    const row = find(`row-${at}`);
    if (row) row.classList.add("now");
    document.querySelectorAll(".jump").forEach((jump) => {
      if (Number(jump.dataset.jump) === at) jump.setAttribute("aria-current", "step");
      else jump.removeAttribute("aria-current");
    });
  };

  const listed = (values) => [...new Set(values)].join(", ");

  const showMemory = (at) => {
    const table = find("memory");
    const memory = data.memory;
    if (!table || !memory) return;
    const head = element("tr", "");
    head.append(...["Location", "Newest value", ...memory.threads].map((name) => element("th", name)));
    head.querySelectorAll("th").forEach((cell) => cell.setAttribute("scope", "col"));
    const newest = memory.locations.map(() => -1);
    memory.writes.forEach(([location, , step], write) => {
      if (step <= at) newest[location] = write;
    });
    const unknown = memory.stopped !== null && at >= memory.stopped;
    const rows = memory.locations.map((name, location) => {
      const row = element("tr", "");
      const title = element("th", name);
      title.setAttribute("scope", "row");
      row.append(title, element("td", newest[location] < 0 ? "" : String(memory.writes[newest[location]][1])));
      memory.threads.forEach((_, thread) => {
        const stale = memory.readable.filter(([reader, write, from, until]) =>
          reader === thread && memory.writes[write][0] === location && write !== newest[location] && from <= at && (until === null || at < until));
        if (unknown) row.append(element("td", "not worked out", "known"));
        else if (stale.length === 0) row.append(element("td", "knows", "known"));
        else row.append(element("td", `may still read ${listed(stale.map(([, write]) => memory.writes[write][1]))}`, "open"));
      });
      return row;
    });
    const caption = table.querySelector("caption");
    const top = element("thead", "");
    top.append(head);
    const body = element("tbody", "");
    body.append(...rows);
    table.replaceChildren(caption, top, body);
  };

  const show = (at) => {
    slider.value = String(at);
    slider.setAttribute("aria-valuetext", say(at));
    root.dataset.world = data.offending ? world(at) : "weak";
    const choice = find("worlds");
    if (choice) choice.classList.toggle("off", at < data.offending);
    status.textContent = say(at);
    showSource(at);
    showGraph(at);
    showRun(at);
    showMemory(at);
  };

  const now = () => Number(slider.value);
  const go = (at) => show(Math.max(0, Math.min(data.steps.length, at)));

  slider.addEventListener("input", () => show(now()));
  find("first").addEventListener("click", () => go(0));
  find("back").addEventListener("click", () => go(now() - 1));
  find("next").addEventListener("click", () => go(now() + 1));
  find("last").addEventListener("click", () => go(data.steps.length));
  document.querySelectorAll(".jump").forEach((jump) => jump.addEventListener("click", () => go(Number(jump.dataset.jump))));
  worlds.forEach((choice) => choice.addEventListener("change", () => {
    wanted = choice.value;
    go(Math.max(now(), data.offending));
  }));
  document.querySelectorAll("[data-hides]").forEach((box) => box.addEventListener("change", () => {
    canvas.classList.toggle(`hide-${box.dataset.hides}`, !box.checked);
  }));
  const fit = find("fit");
  const setFit = (on) => {
    canvas.classList.toggle("fit", on);
    fit.setAttribute("aria-pressed", String(on));
  };
  fit.addEventListener("click", () => setFit(!canvas.classList.contains("fit")));
  // A picture that is only a little too wide is easier to read when it is seen whole.
  const wide = find("graph").getBoundingClientRect().width / canvas.clientWidth;
  setFit(wide > 1 && wide < 1.4);
  // The titles of the columns stay in sight.
  canvas.addEventListener("scroll", () => {
    const picture = find("graph");
    const scale = picture.viewBox.baseVal.height / picture.getBoundingClientRect().height;
    find("headers").setAttribute("transform", `translate(0 ${canvas.scrollTop * scale})`);
  });
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    // Whoever is in a field, or scrolls a box, wants the keys for that.
    if (event.target instanceof Element && event.target.closest("input, .scroll")) return;
    const steps = { ArrowLeft: now() - 1, ArrowRight: now() + 1, Home: 0, End: data.steps.length };
    if (!(event.key in steps)) return;
    event.preventDefault();
    go(steps[event.key]);
  });
  show(data.steps.length);
})();
