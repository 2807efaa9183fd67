// Lint rules. Four of them keep the architecture: only src/ipc talks to Tauri, no HTML or code
// sink exists anywhere, a feature never reaches into another feature's files, and only src/test knows Node.
import { readdirSync } from "node:fs";
import a11y from "eslint-plugin-jsx-a11y";
import hooks from "eslint-plugin-react-hooks";
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

/** What a pointer does to an element; only a control hears of it. */
const POINTER = ["onClick", "onMouseDown", "onMouseUp"];

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
    files: ["src/**/*.tsx"],
    plugins: a11y.flatConfigs.recommended.plugins,
    rules: {
      ...a11y.flatConfigs.recommended.rules,
      // Keys bubble to a container from the controls in it.
      "jsx-a11y/no-noninteractive-element-interactions": ["error", { handlers: POINTER }],
      "jsx-a11y/no-static-element-interactions": ["error", { handlers: POINTER }],
      // What scrolls takes the focus, so that the keyboard scrolls it.
      "jsx-a11y/no-noninteractive-tabindex": ["error", { tags: ["pre"], roles: ["document", "group", "log", "region", "tabpanel"] }],
      "jsx-a11y/no-autofocus": ["error", { ignoreNonDOM: true }],
      "jsx-a11y/label-has-associated-control": ["error", { assert: "either", depth: 4 }],
    },
  },
  {
    files: ["src/**/*.{ts,tsx}"],
    plugins: { "react-hooks": hooks },
    rules: {
      "react-hooks/rules-of-hooks": "error",
      "react-hooks/exhaustive-deps": "error",
    },
  },
  {
    // A journey looks at a window that may be a moment behind the program.
    files: ["src/app/**/*.test.tsx"],
    rules: {
      "no-restricted-syntax": [
        ...noSinks,
        {
          selector: "CallExpression[callee.property.name='toBeNull'][callee.object.arguments.0.callee.property.name=/^query/]",
          message: "Wait for it: `await gone(() => …)`.",
        },
      ],
    },
  },
  {
    // Rules that need types take most of the time: tests go without them, and no-misused-promises, which takes as long as all
    // others, is left out.
    files: ["src/**/*.{ts,tsx}"],
    ignores: ["src/**/*.test.{ts,tsx}", "src/test/**"],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      "@typescript-eslint/await-thenable": "error",
      "@typescript-eslint/no-floating-promises": "error",
      "@typescript-eslint/no-unnecessary-type-assertion": "error",
      "@typescript-eslint/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
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
