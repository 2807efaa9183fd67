// Lint rules. Four of them keep the architecture: only src/ipc talks to Tauri, no HTML or code
// sink exists anywhere, a feature never reaches into another feature's files, and only src/test knows Node.
import { readdirSync } from "node:fs";
import tseslint from "typescript-eslint";

const SINK = "Text becomes React elements; no HTML or code sink may exist.";
const property = (name) => `MemberExpression[property.name='${name}']`;
const noSinks = [
  "error",
  ...["innerHTML", "outerHTML", "insertAdjacentHTML", "createContextualFragment", "srcdoc"].map(
    (name) => ({ selector: property(name), message: SINK }),
  ),
  ...["dangerouslySetInnerHTML", "srcDoc", "innerHTML"].flatMap((name) => [
    { selector: `JSXAttribute[name.name='${name}']`, message: SINK },
    { selector: `Property[key.name='${name}']`, message: SINK },
    { selector: `Property[key.value='${name}']`, message: SINK },
  ]),
  {
    selector: "MemberExpression[computed=true][property.value=/^(inner|outer)HTML$|^srcdoc$/]",
    message: SINK,
  },
  {
    selector: "CallExpression[callee.object.name='document'][callee.property.name=/^write(ln)?$/]",
    message: SINK,
  },
  {
    selector: "CallExpression[callee.property.name='setAttribute'][arguments.0.value=/^(on|srcdoc)/i]",
    message: SINK,
  },
  { selector: "NewExpression[callee.name='DOMParser']", message: SINK },
];

const onlyIpc = {
  regex: "^@tauri-apps/",
  message: "Only src/ipc talks to Tauri.",
};

const noNode = {
  regex: "^node:",
  message: "The window has no Node; only what stands around tests (src/test) has.",
};

// One block per feature: it may import another feature by its folder (its index.ts) only.
const features = readdirSync(new URL("./src/features", import.meta.url), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name);
const isolation = features.map((name) => ({
  files: [`src/features/${name}/**/*.{ts,tsx}`],
  rules: {
    "no-restricted-imports": [
      "error",
      {
        patterns: [
          onlyIpc,
          noNode,
          {
            regex: `^@/features/(?!${name}(/|$))[^/]+/.+`,
            message: "Import another feature by its index only.",
          },
          {
            regex: `^(\\.\\./)+(features/)?(${features.filter((f) => f !== name).join("|") || "-"})/.+`,
            message: "Import another feature by its index only.",
          },
          {
            regex: "^(@|(\\.\\./)+)/?app/(?!actions(/|$)).*",
            message: "A feature knows of the app only its actions.",
          },
        ],
      },
    ],
  },
}));

export default tseslint.config(
  { ignores: ["dist", "node_modules", "src/ipc/bindings.ts"] },
  ...tseslint.configs.recommended,
  {
    files: ["**/*.{ts,tsx,js}"],
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      eqeqeq: "error",
      "no-console": "error",
      "no-eval": "error",
      "no-implied-eval": "error",
      "no-new-func": "error",
      "no-restricted-syntax": noSinks,
    },
  },
  {
    files: ["src/**/*.{ts,tsx}"],
    ignores: ["src/ipc/**", "src/features/**", "src/test/**"],
    rules: { "no-restricted-imports": ["error", { patterns: [onlyIpc, noNode] }] },
  },
  { files: ["src/test/**/*.{ts,tsx}"], rules: { "no-restricted-imports": ["error", { patterns: [onlyIpc] }] } },
  { files: ["src/ipc/**/*.ts"], rules: { "no-restricted-imports": ["error", { patterns: [noNode] }] } },
  {
    files: ["src/shared/**/*.{ts,tsx}"],
    rules: {
      "no-restricted-imports": [
        "error",
        {
          patterns: [
            onlyIpc,
            noNode,
            {
              regex: "^(@|(\\.\\./)+)/?(features|app|ipc)(/|$)",
              message: "shared knows nothing of features, app or ipc.",
            },
          ],
        },
      ],
    },
  },
  ...isolation,
);
