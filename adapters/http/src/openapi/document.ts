/**
 * The OpenAPI 3.1 document, made from the declarations of the endpoints, the schemas that check requests
 * and the one error table. It depends on models and prefix alone, so it is made once a process.
 */
import type { Model } from "@safelight/core"
import * as v from "valibot"
import { findBodies, type Body } from "../bodies/body.ts"
import { errorBody } from "../bodies/error.ts"
import { ENDPOINTS } from "../endpoints/endpoints.ts"
import { toCreationBody } from "./creation-body.ts"
import { toErrorExamples, toErrorResponse, type Response } from "./error-responses.ts"
import { toComponents } from "./json-schema.ts"
import { SECURITY_SCHEME, toOperations, type Operation } from "./operation.ts"
import { CROSS_ORIGIN_HEADERS, toHeaders } from "./response-headers.ts"

export interface ApiDocument {
  readonly openapi: string
  readonly info: object
  readonly servers: readonly object[]
  readonly tags: readonly object[]
  readonly paths: Record<string, PathItem>
  readonly components: Record<string, Record<string, object>>
}

const DESCRIPTION = `Images and video, made asynchronously: create a task, poll it until it is
\`succeeded\` or \`failed\`, list its artifacts and download them before they expire.

Every answer names its request by \`X-Request-Id\`, and every refusal has the same body, to be
decided upon by \`error.code\`. An unknown path is answered as in \`RouteNotFound\` and a method that
a path does not take as in \`MethodNotAllowed\`, both without asking for a key; \`OPTIONS\` is answered
with 204 and \`Allow\`.`

/** `prefix` is the path of the public URL. */
export function createApiDocument(models: readonly Model[], prefix = ""): ApiDocument {
  const creation = toCreationBody(models)
  const bodies = findBodies(
    ENDPOINTS.flatMap(({ answers }) => Object.values(answers).flatMap(({ json }) => json ?? [])),
  )
  return {
    openapi: "3.1.1",
    // The version in the paths, not that of a package.
    info: { title: "Safelight", version: "1", description: DESCRIPTION },
    servers: [{ url: prefix === "" ? "/" : prefix, description: "Where this document came from" }],
    tags: [
      { name: "Tasks", description: "What is made, and how far it has got" },
      { name: "Artifacts", description: "What came of it" },
      { name: "Usage", description: "What it costs" },
      { name: "Keys", description: "What a key may do" },
      { name: "Models", description: "What can be asked for" },
      { name: "Webhooks", description: "What is told as it happens" },
      { name: "Operator", description: "The whole service, for whoever runs it" },
      { name: "Callbacks", description: "What providers call" },
      { name: "Health", description: "For orchestrators" },
      { name: "Proofs", description: "The signed tree over the log, for everybody" },
      { name: "Reference", description: "This document" },
    ],
    paths: toPaths(models),
    components: {
      schemas: { ...creation.schemas, ...toComponents({ ...toSchemas(bodies), Error: errorBody }) },
      responses: {
        RouteNotFound: toErrorResponse(["route_not_found"]),
        MethodNotAllowed: toMethodNotAllowed(),
      },
      examples: { ...toExamples(bodies), ...toErrorExamples() },
      securitySchemes: {
        [SECURITY_SCHEME]: {
          type: "http",
          scheme: "bearer",
          description: "An API key, `sl_live_…`, with the scope that the operation names.",
        },
      },
    },
  }
}

type PathItem = Record<string, Operation>

/** By path, with the names of its parts that the parameters have. */
function toPaths(models: readonly Model[]): Record<string, PathItem> {
  const paths: Record<string, PathItem> = {}
  for (const endpoint of ENDPOINTS) {
    const { about, inPath, path } = endpoint
    if (about === undefined) continue
    const named = path.replaceAll(
      /:(\w+)(?:\{.+\})?/g,
      (_, part: string) => `{${inPath?.[part]?.name ?? part}}`,
    )
    paths[named] = { ...paths[named], ...toOperations(endpoint, about, models) }
  }
  return paths
}

/** The 405 of content included, whose requests may have `access`. */
function toMethodNotAllowed(): Response {
  const response = toErrorResponse(["method_not_allowed"])
  const more = toHeaders({ always: [], sometimes: CROSS_ORIGIN_HEADERS })
  return { ...response, headers: { ...response.headers, ...more } }
}

function toSchemas(bodies: readonly Body[]): Record<string, Body> {
  return Object.fromEntries(bodies.map((body) => [v.getMetadata(body).name, body]))
}

function toExamples(bodies: readonly Body[]): Record<string, object> {
  return Object.fromEntries(
    bodies.map((body) => {
      const { name, example: value } = v.getMetadata(body)
      return [name, { value }]
    }),
  )
}
