// Build and test settings of the interface. The page runs behind a CSP without inline script or
// style, so nothing here may emit either (no module-preload polyfill, no inlined assets).
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

export default defineConfig({
  base: "./",
  plugins: [react()],
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
    include: ["src/**/*.test.{ts,tsx}"],
    css: { include: /.+/, modules: { classNameStrategy: "non-scoped" } },
  },
});
