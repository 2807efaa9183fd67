// The project that every agent works in, and what is said there: by the person, and by the model in return.

import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

export const RULE = "Never change src/legacy/orders.rs. What does total.js do?";
export const FIX = "앞으로는 항상 pnpm을 쓰세요. 합계를 고치고 확인해 주세요.";
export const HELP = "Ask a helper to count the files.";
export const HELPER = "Count files here: list them and tell the number.";
export const FRENCH = "And in French?";
export const KOREAN = "And in Korean?";
export const SUMMARY = "Never change src/legacy/orders.rs. total.js multiplies by the quantity; the check prints 7.";

/** A folder under version control with two files; the sum in one is wrong. */
export function shop(home) {
  const folder = path.join(home, "shop");
  fs.mkdirSync(folder, { recursive: true });
  const file = (name, text) => fs.writeFileSync(path.join(folder, name), text);
  file("package.json", '{ "type": "module" }\n');
  file("price.js", "export const price = 3;\n");
  file(
    "total.js",
    "export const total = (items) => items.reduce((s, i) => s + i.price, 0);\n" +
      "console.log(total([{ price: 3, qty: 1 }, { price: 2, qty: 2 }]));\n",
  );
  const git = (...words) => execFileSync("git", words, { cwd: folder });
  git("init", "-q", "-b", "main");
  git("add", ".");
  git("-c", "user.name=Kim", "-c", "user.email=kim@example.org", "commit", "-q", "-m", "Start");
  return folder;
}

/** What the model says; `tools` makes calls in the words of one agent. */
export const turns = ({ read, edit, run, helper }) => [
  {
    says: RULE,
    replies: [
      { thinks: "The file is small.", text: "I read it first.", calls: [read("total.js")] },
      { text: "It adds prices and forgets the quantity." },
    ],
  },
  {
    says: FIX,
    replies: [
      { text: "먼저 고칩니다.", calls: [edit("total.js", "s + i.price", "s + i.price * i.qty")] },
      { text: "이제 확인합니다.", calls: [run("node total.js"), run("cat nosuch.txt; exit 3")] },
      { text: "고쳤습니다: 합계는 7입니다." },
    ],
  },
  ...(helper
    ? [
        {
          says: HELP,
          replies: [{ text: "A helper looks.", calls: [helper(HELPER)] }, { text: "The helper found three files." }],
        },
        { says: HELPER, replies: [{ text: "I list them.", calls: [run("ls")] }, { text: "Three files." }] },
      ]
    : []),
  { says: FRENCH, replies: [{ text: "Bonjour." }] },
  { says: KOREAN, replies: [{ text: "안녕하세요." }] },
];
