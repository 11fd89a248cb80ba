/**
 * /openapi.json and the page that shows it, for everybody and without a key. Nothing is made or read
 * before the first request asks for it.
 */
import { defineEndpoint } from "../pipeline/endpoint.ts"
import { DOCS_FILES, PAGE, PAGE_POLICY, toDocsFiles } from "../openapi/docs-files.ts"
import { createKeptFile } from "../openapi/kept-file.ts"
import type { ResponseHeaderName } from "../openapi/response-headers.ts"
import { textHeader } from "../request/header-parameters.ts"

const KEPT: readonly ResponseHeaderName[] = [
  "X-Request-Id",
  "Cache-Control",
  "X-Content-Type-Options",
  "ETag",
  "Vary",
]

const HEADERS = {
  "If-None-Match": textHeader("Answer 304 if the file has one of these entity tags."),
} as const

function toFileAnswers(types: readonly string[], headers: readonly ResponseHeaderName[] = []) {
  const always = [...KEPT, "Content-Length", ...headers] as const
  return {
    200: { description: "The file.", types, always, sometimes: ["Content-Encoding"] },
    304: { description: "The caller's copy is still the file.", always: KEPT },
  } as const
}

export const showDocument = defineEndpoint({
  method: "GET",
  path: "/openapi.json",
  about: { id: "getDocument", tag: "Reference", summary: "This document" },
  headers: HEADERS,
  answers: toFileAnswers(["application/json"]),
  refusals: [],
}).handle(({ compress, describeApi }) => {
  if (describeApi === undefined) return undefined
  return createKeptFile({
    compress,
    type: "application/json; charset=utf-8",
    read: async () => toBytes(JSON.stringify(describeApi())),
  })
})

export const showPage = defineEndpoint({
  method: "GET",
  path: "/docs",
  about: { id: "getReferencePage", tag: "Reference", summary: "This document as a page" },
  headers: HEADERS,
  answers: toFileAnswers(["text/html"], ["Content-Security-Policy", "Referrer-Policy"]),
  refusals: [],
}).handle(({ compress, describeApi, readPackageFile }) => {
  if (describeApi === undefined || readPackageFile === undefined) return undefined
  return createKeptFile({
    compress,
    type: "text/html; charset=utf-8",
    read: async () => toBytes(PAGE),
    headers: { "content-security-policy": PAGE_POLICY, "referrer-policy": "no-referrer" },
  })
})

export const showPageFile = defineEndpoint({
  method: "GET",
  path: "/docs/:file",
  about: { id: "getReferenceFile", tag: "Reference", summary: "A file of that page" },
  inPath: {
    file: {
      name: "file",
      description: "A file of the reference page.",
      schema: { enum: DOCS_FILES.map(({ name }) => name) },
    },
  },
  headers: HEADERS,
  answers: toFileAnswers([...new Set(DOCS_FILES.map(({ type }) => type.replace(/;.*$/, "")))]),
  refusals: ["route_not_found", "internal_error"],
}).handle(({ compress, describeApi, readPackageFile }) => {
  if (describeApi === undefined || readPackageFile === undefined) return undefined
  const files = toDocsFiles(readPackageFile)
  const kept = new Map(files.map((file) => [file.name, createKeptFile({ ...file, compress })]))
  return (call) => {
    const file = kept.get(call.param("file"))
    if (file === undefined) throw call.refuse("route_not_found")
    return file(call)
  }
})

function toBytes(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}
