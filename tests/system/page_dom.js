"use strict";
// Opens a page of linerate report as a browser would, does the actions that stdin lists, and prints
// what is seen after each: node page_dom.js PAGE. An action is a list of its name and its words.
const fs = require("fs");
const { JSDOM, VirtualConsole } = require("jsdom");

const TIP_SIZE = { offsetWidth: 300, offsetHeight: 100 };  // jsdom lays nothing out

const errors = [];
const consoleOfPage = new VirtualConsole().on("jsdomError", (error) => errors.push(error.message));
const { window } = new JSDOM(fs.readFileSync(process.argv[2], "utf8"),
                             { runScripts: "dangerously", virtualConsole: consoleOfPage });
const { document } = window;
const tip = document.getElementById("tip");
for (const [name, value] of Object.entries(TIP_SIZE)) Object.defineProperty(tip, name, { value });

function find(selector, index = 0) {
  const found = document.querySelectorAll(selector)[index];
  if (!found) throw new Error(`no ${selector} (${index}) in the page`);
  return found;
}

function send(target, name, at = {}) {
  target.dispatchEvent(new window.MouseEvent(name, { bubbles: true, ...at }));
}

const actions = {
  click(selector, index) {
    find(selector, index).click();
  },
  // What is shown when the pointer is there.
  point(selector, index, x = 10, y = 10, name = "pointermove") {
    send(find(selector, index), name, { clientX: x, clientY: y });
    return tip.hidden ? "" : tip.textContent;
  },
  scroll() {
    document.dispatchEvent(new window.Event("scroll"));
    return tip.hidden;
  },
  place() {
    return [tip.style.left, tip.style.top];
  },
  // The texts of a column of the first table that the selector finds.
  column(selector, index) {
    return [...find(selector).tBodies[0].rows].map((row) => row.children[index].textContent);
  },
  values(selector, name) {
    return [...document.querySelectorAll(selector)].map((one) => one.getAttribute(name));
  },
};

const seen = JSON.parse(fs.readFileSync(0, "utf8"))
  .map(([name, ...words]) => actions[name](...words) ?? null);
process.stdout.write(JSON.stringify({ seen, errors }));
