// Build and test settings of the interface. The page runs behind a CSP without inline script or
// style, so nothing here may emit either (no module-preload polyfill, no inlined assets).
import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import react from "@vitejs/plugin-react";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";
import { programBehind } from "./vite.program.ts";

/** Bytes of packed scripts that the first picture may wait for. */
const FIRST_PAINT = 250_000;

/** Words that come after the first picture, as a component asks for them. */
const LATER = new RegExp(`useTranslation\\(\\[?"(${later().join("|")})"`);

/** Tests that mock a module. */
const ALONE = ["src/app/Rail.test.tsx"];

/**
 * How long, in milliseconds, a test waits for something before it gives up. It only ends what hangs, and says nothing of how
 * quick a machine is: whoever runs all tests has more of it than somebody who waits for the one that is being written.
 */
const PATIENCE = 1000 * Number(process.env["PATIENCE"] ?? 60);

function later(): string[] {
  return readdirSync("src/shared/i18n/en/later").flatMap((name) => /^(\w+)\.json$/.exec(name)?.[1] ?? []);
}

export default defineConfig({
  base: "./",
  plugins: [react(), firstPaint(), everyLicence(), programBehind()],
  resolve: { tsconfigPaths: true },
  server: { port: 5173, strictPort: true },
  build: {
    target: ["safari16.4", "chrome111"],
    // Newer than the scripts' target, so that light-dark() and nesting are left as written.
    cssTarget: ["safari17.5", "chrome123"],
    modulePreload: { polyfill: false },
    // One sheet, so that nothing is drawn before its rules are there.
    cssCodeSplit: false,
    assetsInlineLimit: 0,
    reportCompressedSize: true,
  },
  test: {
    environment: "jsdom",
    setupFiles: ["src/test/setup.ts"],
    alias: [{ find: /^zustand$/, replacement: resolve(import.meta.dirname, "src/test/zustand.ts") }],
    // Files share their process and what it loaded, which is most of what they take; src/test/setup.ts puts back what they
    // change. A file that puts something else in a module's place has a process of its own.
    projects: [
      { extends: true, test: { name: "shared", isolate: false, include: ["src/**/*.test.{ts,tsx}"], exclude: ALONE } },
      { extends: true, test: { name: "alone", include: ALONE } },
    ],
    restoreMocks: true,
    unstubGlobals: true,
    testTimeout: 2 * PATIENCE,
    hookTimeout: 2 * PATIENCE,
    provide: { patience: PATIENCE },
    // Each waits for a program of its own most of the time.
    maxWorkers: 2,
    // Little of what is run is run often: it is compiled at once, quickly, and seldom as if it ran for hours. Most of what a
    // test makes is gone with it: there is room to collect it seldom.
    execArgv: ["--always-sparkplug", "--interrupt-budget=1000000", "--min-semi-space-size=32", "--max-semi-space-size=64"],
    css: { include: /.+/, modules: { classNameStrategy: "non-scoped" } },
  },
});

/**
 * Fails the build when the entry, with all that it imports and the larger of the languages, is more than was agreed, or
 * says something whose words come later.
 */
function firstPaint(): Plugin {
  const packed = async (code: string) => {
    const gzip = new Blob([code]).stream().pipeThrough(new CompressionStream("gzip"));
    return (await new Response(gzip).arrayBuffer()).byteLength;
  };
  return {
    name: "first-paint",
    async generateBundle(_, bundle) {
      const scripts = new Set<string>();
      const languages: number[] = [];
      const take = (file: string) => {
        const chunk = bundle[file];
        if (scripts.has(file) || chunk?.type !== "chunk") return;
        scripts.add(file);
        chunk.imports.forEach(take);
      };
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== "chunk") continue;
        if (chunk.isEntry) take(chunk.fileName);
        if (/i18n\/(en|ko)\/index\.ts$/.test(chunk.facadeModuleId ?? "")) languages.push(await packed(chunk.code));
      }
      if (languages.length !== 2) this.error("the languages are not where the first picture looks for them");
      const early: string[] = [];
      let bytes = Math.max(...languages);
      for (const file of scripts) {
        const chunk = bundle[file];
        if (chunk?.type !== "chunk") continue;
        bytes += await packed(chunk.code);
        for (const id of chunk.moduleIds) {
          if (LATER.test(this.getModuleInfo(id)?.code ?? "")) early.push(id);
        }
      }
      if (early.length > 0) this.error(`the words of these come after the first picture: ${early.join(", ")}`);
      this.info(`the first picture waits for ${bytes} bytes of packed scripts`);
      if (bytes > FIRST_PAINT) this.error(`the first picture waits for more than ${FIRST_PAINT} bytes of packed scripts`);
    },
  };
}

/** Fails the build when a package is in it that the list of licences lacks. */
function everyLicence(): Plugin {
  const list = "src/features/settings/licences.json";
  return {
    name: "every-licence",
    generateBundle(_, bundle) {
      const listed = new Set((JSON.parse(readFileSync(list, "utf8")) as { name: string }[]).map(({ name }) => name));
      const modules = Object.values(bundle).flatMap((chunk) => (chunk.type === "chunk" ? chunk.moduleIds : []));
      const bundled = modules.flatMap((id) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(id)?.[1] ?? []);
      const lacking = [...new Set(bundled)].filter((name) => !listed.has(name));
      if (lacking.length > 0) this.error(`${list} lacks ${lacking.join(", ")}: run \`make licences\``);
    },
  };
}
