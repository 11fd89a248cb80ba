/** The operations that need no key: what an orchestrator asks, and this reference itself. */
import { toJsonAnswer, withHead, type Parameter, type Response } from "./operation.ts"
import { DOCS_FILES } from "./docs-files.ts"
import { toHeaders, type ResponseHeaderName } from "./response-headers.ts"
import type { PathItem } from "./task-operations.ts"

const KEPT: readonly ResponseHeaderName[] = [
  "X-Request-Id",
  "Cache-Control",
  "X-Content-Type-Options",
  "ETag",
]

const IF_NONE_MATCH: Parameter = {
  name: "If-None-Match",
  in: "header",
  required: false,
  description: "Answer 304 if the file has one of these entity tags.",
  schema: { type: "string" },
}

const FILE: Parameter = {
  name: "file",
  in: "path",
  required: true,
  description: "A file of the reference page.",
  schema: { enum: DOCS_FILES.map(({ name }) => name) },
}

export function toServicePaths(): Record<string, PathItem> {
  return {
    "/healthz": withHead({
      id: "getLiveness",
      tag: "Health",
      summary: "Whether the process answers",
      answers: { "200": toJsonAnswer("It does.", "Liveness") },
    }),
    "/readyz": withHead({
      id: "getReadiness",
      tag: "Health",
      summary: "Whether the service could serve",
      answers: { "200": toJsonAnswer("It could.", "Readiness") },
      refusals: ["service_unavailable"],
    }),
    "/openapi.json": withHead({
      id: "getDocument",
      tag: "Reference",
      summary: "This document",
      parameters: [IF_NONE_MATCH],
      answers: toFileAnswers(["application/json"], []),
    }),
    "/docs": withHead({
      id: "getReferencePage",
      tag: "Reference",
      summary: "This document as a page",
      parameters: [IF_NONE_MATCH],
      answers: toFileAnswers(["text/html"], ["Content-Security-Policy", "Referrer-Policy"]),
    }),
    "/docs/{file}": withHead({
      id: "getReferenceFile",
      tag: "Reference",
      summary: "A file of that page",
      parameters: [FILE, IF_NONE_MATCH],
      answers: toFileAnswers([...new Set(DOCS_FILES.map(({ type }) => toBare(type)))], []),
      refusals: ["route_not_found", "internal_error"],
    }),
  }
}

function toFileAnswers(
  types: readonly string[],
  headers: readonly ResponseHeaderName[],
): Record<string, Response> {
  return {
    "200": {
      description: "The file.",
      headers: toHeaders({ always: [...KEPT, "Content-Length", ...headers] }),
      content: Object.fromEntries(types.map((type) => [type, {}])),
    },
    "304": {
      description: "The caller's copy is still the file.",
      headers: toHeaders({ always: KEPT }),
    },
  }
}

function toBare(type: string): string {
  return type.replace(/;.*$/, "")
}
