"use strict";
// Draws the maps of devices. Texts of the cluster only ever become text nodes and attributes, never markup.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const chunk = 12; // nodes drawn at a time
  const amounts = ["memory", "cores", "slots"];
  const tip = document.getElementById("tip");
  const about = new WeakMap(); // device of an element

  const make = (tag, name, text) => {
    const e = document.createElement(tag);
    if (name) e.className = name;
    if (text !== undefined) e.textContent = text;
    return e;
  };
  const plural = (n, noun) => `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : "s"}`;
  const share = (used, all) => (all > 0 ? Math.min(100, Math.max(0, (100 * used) / all)) : 0);
  const colour = (pod) => `hsl(${Math.round((pod * 137.508 + 205) % 360)} 62% 52%)`;

  // Devices.

  function bar(device, kind, i) {
    const row = make("div", "bar");
    row.append(make("span", "what", "MCS"[i]));
    const all = row.appendChild(make("div", "all"));
    let rest = device.u[i];
    for (const pod of device.p || []) {
      rest -= pod[i + 1];
      piece(all, pod[i + 1], kind.all[i], colour(pod[0]));
    }
    piece(all, rest, kind.all[i], "var(--other)"); // held without a known pod
    row.append(make("span", "amount", i === 0 ? gib(device.u[0], kind.all[0]) : `${device.u[i]}/${kind.all[i]}`));
    return row;
  }

  function piece(bar, used, all, background) {
    if (used <= 0) return;
    const e = bar.appendChild(make("i"));
    e.style.width = share(used, all) + "%";
    e.style.background = background;
  }

  const gib = (used, all) => {
    const one = (x) => (x / 1024).toFixed(all < 10240 ? 1 : 0);
    return `${one(used)}/${one(all)} Gi`;
  };

  function strip(mig) {
    const e = make("div", "strip");
    e.style.gridTemplateColumns = `repeat(${Math.max(1, mig.n)}, 1fr)`;
    let next = 0;
    const empty = (end) => {
      for (; next < end; next++) e.append(make("span", "free"));
    };
    for (const x of mig.i) {
      const start = Math.max(next, Math.min(x.s, mig.n));
      const size = Math.min(x.s + x.n, mig.n) - start;
      if (size <= 0) continue;
      empty(start);
      const cell = e.appendChild(make("span", "taken", x.p.split(".")[0]));
      cell.style.gridColumn = `span ${size}`;
      next += size;
    }
    empty(mig.n);
    return e;
  }

  function drawDevice(device) {
    const kind = data.kinds[device.k];
    const e = make("div", "device" + (device.s ? " ill" : ""));
    about.set(e, device);
    e.tabIndex = -1;
    e.setAttribute("role", "listitem");
    e.setAttribute("aria-label", lines(device).join(". "));
    const head = e.appendChild(make("div", "name"));
    head.append(make("span", "model", kind.model.replace(/^NVIDIA[- ]/, "").replace(/^NVIDIA /, "") || kind.vendor));
    if (kind.mode === "mig") head.append(make("span", "mark", kind.mode));
    if (device.s) head.append(make("span", "mark bad", device.s));
    for (let i = 0; i < 3; i++) {
      if (kind.all[i] > 0 || device.u[i] > 0) e.append(bar(device, kind, i));
    }
    if (device.g) e.append(strip(device.g));
    return e;
  }

  // lines tells a device in words.
  function lines(device) {
    const kind = data.kinds[device.k];
    const units = ["MiB memory", kind.unit === "%" ? "% of cores" : kind.unit, "slots"];
    const held = (of) => units.map((u, i) => `${of[i]} ${u}`).join(", ");
    const out = [
      device.i,
      [kind.vendor, kind.model, kind.mode, device.s || "ok", `NUMA ${device.a || 0}`].filter(Boolean).join(" · "),
      amounts.map((what, i) => `${what} ${device.u[i]} of ${kind.all[i]}`).join(", "),
    ];
    for (const pod of device.p || []) out.push(`${data.pods[pod[0]]}: ${held(pod.slice(1))}`);
    for (const x of device.g ? device.g.i : []) out.push(`instance ${x.p} at slice ${x.s}`);
    return out;
  }

  // Nodes and groups.

  function drawNode(node) {
    const e = make("article", "node");
    const head = e.appendChild(make("h4", "", node.n));
    for (const m of node.m || []) head.append(" ", make("span", m === "new" ? "mark" : "mark bad", m));
    if (node.f) e.append(make("p", "facts-of", node.f));
    const list = e.appendChild(make("div", "devices"));
    list.setAttribute("role", "list");
    list.append(...node.d.map(drawDevice));
    return e;
  }

  // words is what the filter looks at.
  function words(node, group) {
    if (!node.words) {
      const all = [node.n, group, ...(node.m || [])];
      for (const d of node.d) {
        const kind = data.kinds[d.k];
        all.push(d.i, d.s || "", kind.vendor, kind.model, kind.mode);
        for (const pod of d.p || []) all.push(data.pods[pod[0]]);
      }
      node.words = all.join("\n").toLowerCase();
    }
    return node.words;
  }

  class Group {
    constructor(group, open) {
      this.group = group;
      this.matches = group.nodes;
      this.element = make("details", group.nodes.length > 2 ? "group wide" : "group");
      this.summary = this.element.appendChild(make("summary"));
      this.body = this.element.appendChild(make("div", "nodes"));
      this.more = this.element.appendChild(make("button", "more"));
      this.more.type = "button";
      this.more.addEventListener("click", () => this.draw(true));
      this.element.addEventListener("toggle", () => this.draw(false));
      this.element.open = open;
      this.show();
    }

    filter(text) {
      this.matches = text ? this.group.nodes.filter((n) => words(n, this.group.name).includes(text)) : this.group.nodes;
      this.element.hidden = this.matches.length === 0;
      this.body.replaceChildren();
      this.show();
      if (this.element.open) this.draw(false);
    }

    // show writes the heading: the group, its nodes and how much of their devices' memory is taken.
    show() {
      let used = 0, all = 0, devices = 0;
      for (const n of this.matches) {
        for (const d of n.d) {
          devices++;
          used += d.u[0];
          all += data.kinds[d.k].all[0];
        }
      }
      const part = Math.round(share(used, all));
      const bar = make("span", "all");
      piece(bar, used, all, "var(--accent)");
      this.summary.replaceChildren(make("b", "", this.group.name),
        make("span", "", ` ${plural(this.matches.length, "node")}, ${plural(devices, "device")}`),
        bar, make("span", "amount", `${part} % of memory`));
    }

    // draw draws the first nodes, or the next ones.
    draw(next) {
      const at = this.body.childElementCount;
      if (!this.element.open || (at > 0 && !next)) return;
      const nodes = this.matches.slice(at, at + chunk).map(drawNode);
      this.body.append(...nodes);
      const left = this.matches.length - at - nodes.length;
      this.more.hidden = left <= 0;
      this.more.textContent = `Show ${Math.min(left, chunk)} more of ${left.toLocaleString("en")}`;
      if (!this.body.querySelector("[tabindex='0']")) enter(this.body.querySelector(".device"));
      if (next && nodes.length) focus(nodes[0].querySelector(".device"));
    }
  }

  // Keyboard: one device of each group is a tab stop, the arrow keys go on from there.

  function enter(device) {
    if (!device) return;
    const body = device.closest(".nodes");
    for (const other of body.querySelectorAll("[tabindex='0']")) other.tabIndex = -1;
    device.tabIndex = 0;
  }

  function focus(device) {
    if (!device) return;
    enter(device);
    device.focus();
  }

  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") hide();
    const at = event.target.closest?.(".device");
    if (!at) return;
    const all = [...at.closest(".nodes").querySelectorAll(".device")];
    const i = all.indexOf(at);
    const to = { ArrowRight: i + 1, ArrowDown: i + 1, ArrowLeft: i - 1, ArrowUp: i - 1, Home: 0, End: all.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    focus(all[to]);
  });

  // The box that tells who holds a device.

  let told; // the device that the box is about

  function tell(target) {
    told = target;
    const device = about.get(target);
    tip.replaceChildren(...lines(device).map((line, i) => make(i ? "div" : "b", "", line)));
    (device.p || []).forEach((pod, i) => { tip.children[3 + i].style.borderLeftColor = colour(pod[0]); });
    tip.hidden = false;
    place();
  }

  function place() {
    const at = told.getBoundingClientRect();
    const size = tip.getBoundingClientRect();
    const wide = document.documentElement.clientWidth;
    tip.style.left = Math.max(4, Math.min(at.left, wide - size.width - 4)) + "px";
    const below = at.bottom + 6;
    tip.style.top = (below + size.height < innerHeight ? below : Math.max(4, at.top - size.height - 6)) + "px";
  }

  const hide = () => { tip.hidden = true; };
  const leave = () => { if (document.activeElement !== told) hide(); }; // what has the focus is told of whatever the mouse is on
  const deviceOf = (event) => event.target.closest?.(".device");
  document.addEventListener("mouseover", (event) => { const d = deviceOf(event); d ? tell(d) : leave(); });
  document.addEventListener("focusin", (event) => { const d = deviceOf(event); d ? (enter(d), tell(d)) : hide(); });
  document.addEventListener("scroll", () => {
    if (tip.hidden) return;
    document.activeElement === told ? place() : hide(); // going on with the keyboard scrolls, too
  }, { passive: true });

  // The page.

  const few = (groups) => groups.reduce((n, g) => n + g.nodes.length, 0) <= 2 * chunk;
  let live = [];
  for (const place of document.querySelectorAll("[data-map]")) {
    const groups = data.maps[Number(place.dataset.map)];
    const drawn = groups.map((g) => new Group(g, few(groups)));
    place.append(...drawn.map((g) => g.element));
    if (place.dataset.map === "0") live = drawn;
  }

  const filter = document.getElementById("filter");
  let timer;
  const apply = () => {
    const text = filter.value.trim().toLowerCase();
    for (const g of live) g.filter(text);
    const found = live.reduce((n, g) => n + g.matches.length, 0);
    document.getElementById("found").textContent = text ? plural(found, "node") + " match" + (found === 1 ? "es" : "") : "";
    if (text && found <= 2 * chunk) for (const g of live) if (g.matches.length) g.element.open = true;
  };
  filter.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(apply, 150); });

  // setAll opens or closes the groups, one in each frame, so that the page goes on answering.
  function setAll(open, i = 0) {
    if (i === live.length) return;
    live[i].element.open = open;
    requestAnimationFrame(() => setAll(open, i + 1));
  }
  document.getElementById("open").addEventListener("click", () => setAll(true));
  document.getElementById("close").addEventListener("click", () => setAll(false));

  const themes = ["system", "light", "dark"];
  const button = document.getElementById("theme");
  button.addEventListener("click", () => {
    const next = themes[(themes.indexOf(document.documentElement.dataset.theme || "system") + 1) % themes.length];
    document.documentElement.dataset.theme = next;
    button.textContent = "Theme: " + next;
  });
})();
