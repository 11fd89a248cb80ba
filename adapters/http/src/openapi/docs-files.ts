/**
 * The files of the reference page, a fixed list: a name in a request is looked up here and never
 * becomes part of a path. Those of swagger-ui are read when they are first asked for, so a host
 * that is not Node loads the handler all the same.
 */

export interface DocsFile {
  /** Its name under /docs/. */
  readonly name: string
  readonly type: string
  /** Rejects where the file can't be read. */
  readonly read: () => Promise<Uint8Array>
}

/** Addresses relative to /docs, so that the page works under a host's own prefix. */
export const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Safelight: API reference</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="docs/swagger-ui.css">
    <script src="docs/swagger-ui-bundle.js" defer></script>
    <script src="docs/start.js" defer></script>
  </head>
  <body>
    <div id="reference"></div>
  </body>
</html>
`

/** Nothing but our own files; swagger-ui's icons are data URLs in its style sheet. */
export const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ")

/** `validatorUrl` would send the document to a service outside. */
const START = `SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#reference",
  deepLinking: true,
  validatorUrl: null,
  defaultModelsExpandDepth: 0,
})
`

export const DOCS_FILES: readonly DocsFile[] = [
  toPackageFile("swagger-ui-dist/swagger-ui.css", "text/css; charset=utf-8"),
  toPackageFile("swagger-ui-dist/swagger-ui-bundle.js", "text/javascript; charset=utf-8"),
  {
    name: "start.js",
    type: "text/javascript; charset=utf-8",
    read: async () => new TextEncoder().encode(START),
  },
]

/** `specifier` is a package and a file at its root. */
function toPackageFile(specifier: string, type: string): DocsFile {
  return {
    name: specifier.slice(specifier.indexOf("/") + 1),
    type,
    async read() {
      const { readFile } = await import("node:fs/promises")
      return readFile(new URL(import.meta.resolve(specifier)))
    },
  }
}
