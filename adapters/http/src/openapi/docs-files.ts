/**
 * The files of the reference page, a fixed list: a name in a request is looked up here and never becomes
 * part of a path. Those of swagger-ui are read when they are first asked for.
 */

interface DocsFile {
  /** Its name under /docs/. */
  readonly name: string
  readonly type: string
  /** Its place in a package; absent: it is ours. */
  readonly specifier?: string
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
  {
    name: "swagger-ui.css",
    type: "text/css; charset=utf-8",
    specifier: "swagger-ui-dist/swagger-ui.css",
  },
  {
    name: "swagger-ui-bundle.js",
    type: "text/javascript; charset=utf-8",
    specifier: "swagger-ui-dist/swagger-ui-bundle.js",
  },
  { name: "start.js", type: "text/javascript; charset=utf-8" },
]

/** The files with a function that reads each; it rejects with what `readPackageFile` rejects with. */
export function toDocsFiles(
  readPackageFile: (specifier: string) => Promise<Uint8Array>,
): readonly (DocsFile & { readonly read: () => Promise<Uint8Array> })[] {
  return DOCS_FILES.map((file) => ({
    ...file,
    read: async () =>
      file.specifier === undefined
        ? new TextEncoder().encode(START)
        : readPackageFile(file.specifier),
  }))
}
