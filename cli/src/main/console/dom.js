// SPDX-License-Identifier: Apache-2.0
// Elements and words. Everything that comes from a program becomes a text node, never markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return element;
}

export const h = (tag, attributes, ...children) =>
  fill(document.createElement(tag), attributes, children);

export const s = (tag, attributes, ...children) =>
  fill(document.createElementNS(SVG, tag), attributes, children);

/** Replaces what is in an element, unless it is the same text. */
export function text(element, value) {
  if (element.textContent !== value) element.textContent = value;
}

const COUNT = new Intl.NumberFormat("en");

export const count = (value) => COUNT.format(Math.round(Number(value) || 0));

/** Milliseconds in words. */
export function time(millis) {
  const ms = Number(millis) || 0;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 100_000) return `${(ms / 1000).toFixed(1)} s`;
  if (ms < 6_000_000) return `${(ms / 60_000).toFixed(ms < 600_000 ? 1 : 0)} min`;
  return ms < 172_800_000 ? `${(ms / 3_600_000).toFixed(1)} h` : `${Math.round(ms / 86_400_000)} d`;
}

/** Microseconds in words. */
export function micros(value) {
  const us = Number(value) || 0;
  if (us < 1000) return `${Math.round(us)} µs`;
  return us < 100_000 ? `${(us / 1000).toFixed(1)} ms` : time(us / 1000);
}

export const plural = (n, word, more = word + "s") => `${count(n)} ${Number(n) === 1 ? word : more}`;

/** A class without its package. */
export const className = (name) => name.replace(/^(?:[\w$]+\.)*/, "").replace(/\$\d+$/, "");

export const clock = (millis) => new Date(Number(millis)).toLocaleTimeString("en-GB");

/** The first line of a text. */
export const firstLine = (value) => value.split("\n", 1)[0];

/** A button that copies a text, and says so. */
export function copyButton(textToCopy) {
  const button = h("button", { class: "button", type: "button" }, "Copy");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(textToCopy());
      button.textContent = "Copied";
    } catch {
      button.textContent = "Select and copy by hand";
    }
    setTimeout(() => (button.textContent = "Copy"), 1500);
  });
  return button;
}
