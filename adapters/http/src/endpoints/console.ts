/**
 * The console: one page at `/` and its files below `/console/`, for everybody and without a key, since they hold
 * nothing but the program. The names of the files are known from the start, so that none in a request ever becomes
 * part of a path.
 */
import { defineEndpoint } from "../pipeline/endpoint.ts"
import { createKeptFile, type KeptFileOptions } from "../openapi/kept-file.ts"
import type { PageFiles } from "../pipeline/services.ts"

const INDEX = "index.html"

/** Scripts, styles and requests of the page's own origin alone; pictures and films are blobs of the page. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob: data:",
  "media-src 'self' blob:",
  "connect-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ")

const TYPES: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
  woff2: "font/woff2",
}

/** Files of the build, whose names contain their hashes. */
const HASHED = /^assets\//

const ANSWERS = {
  200: { description: "The file.", types: Object.values(TYPES) },
  304: { description: "The caller's copy is still the file." },
} as const

export const showConsole = defineEndpoint({
  method: "GET",
  path: "/",
  answers: ANSWERS,
  refusals: [],
}).handle(({ compress, consoleFiles }) => {
  if (consoleFiles?.names.includes(INDEX) !== true) return undefined
  const headers = { "content-security-policy": POLICY, "referrer-policy": "no-referrer" }
  return createKeptFile({ ...toFile(consoleFiles, INDEX), compress, headers })
})

export const showConsoleFile = defineEndpoint({
  method: "GET",
  path: "/console/:file{.+}",
  answers: ANSWERS,
  refusals: ["route_not_found"],
}).handle(({ compress, consoleFiles }) => {
  if (consoleFiles === undefined) return undefined
  const names = consoleFiles.names.filter((name) => name !== INDEX)
  const files = new Map(
    names.map((name) => [name, createKeptFile({ ...toFile(consoleFiles, name), compress })]),
  )
  return (call) => {
    const file = files.get(call.param("file"))
    if (file === undefined) throw call.refuse("route_not_found")
    return file(call)
  }
})

function toFile({ read }: PageFiles, name: string): KeptFileOptions {
  const ending = name.slice(name.lastIndexOf(".") + 1)
  return {
    type: TYPES[ending] ?? "application/octet-stream",
    isImmutable: HASHED.test(name),
    read: () => read(name),
  }
}
