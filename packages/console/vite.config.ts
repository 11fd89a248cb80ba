/**
 * Builds the page into `dist/page`. The files refer to each other below `/console/`; `index.html` itself is served
 * at `/`. Nothing is inlined, since the page's policy allows no script or style in its text.
 */
import { fileURLToPath } from "node:url"
import { defineConfig } from "vite"
import { stateDiagram } from "./build/state-diagram.ts"

const DEVELOPED_SERVICE = "http://127.0.0.1:8080"

export default defineConfig({
  base: "/console/",
  plugins: [stateDiagram()],
  resolve: {
    conditions: ["@safelight/source"],
    alias: {
      // A page has no file system, so the client's module for one stays out.
      "#save-file": fileURLToPath(
        new URL("../client/src/artifacts/no-save-file.ts", import.meta.url),
      ),
    },
  },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: "dist/page",
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: { proxy: { "/v1": DEVELOPED_SERVICE } },
})
