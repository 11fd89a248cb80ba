/**
 * A service's OpenAPI document as its tests read it: which description an answer falls under.
 * Paths are matched as the router matches them, decoded, so `/v1/%74asks` is `/v1/tasks`.
 */
import assert from "node:assert/strict"

export interface ApiDocument {
  readonly openapi: string
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

export interface DescribedOperation {
  readonly operationId: string
  /** Empty if no key is needed. */
  readonly security?: readonly object[]
  readonly requestBody?: { readonly content: Readonly<Record<string, DescribedBody>> }
  readonly responses: Readonly<Record<string, DescribedAnswer>>
}

export interface DescribedBody {
  readonly example?: object
  readonly examples?: Readonly<Record<string, { readonly value: object }>>
}

export interface DescribedAnswer {
  readonly description: string
  readonly headers?: Readonly<Record<string, DescribedHeader>>
  readonly content?: Readonly<Record<string, { readonly schema?: object }>>
}

export interface DescribedHeader {
  readonly required?: boolean
  readonly schema: { readonly type?: string }
}

export interface FoundAnswer {
  /** The path's template; undefined where the document has no such path. */
  readonly path: string | undefined
  readonly described: DescribedAnswer
  /** Where it stands in the document, as a JSON pointer. */
  readonly pointer: string
}

export interface AnswerFinder {
  /** Fails where the document describes no such answer. */
  find(method: string, target: string, status: number): FoundAnswer
  /** The methods of the path in the document's words; undefined for an unknown path. */
  findMethods(target: string): readonly string[] | undefined
}

/** It refuses nothing by itself: what it may be refused with, the server refuses on any path. */
const SERVER_PATH = "/healthz"

export function createAnswerFinder(document: ApiDocument): AnswerFinder {
  const templates = Object.keys(document.paths).map((path) => ({ path, pattern: toPattern(path) }))

  function findPath(target: string): string | undefined {
    const path = toPath(target)
    return templates.find(({ pattern }) => pattern.test(path))?.path
  }

  function at(...steps: readonly string[]): { described: DescribedAnswer; pointer: string } | null {
    const found = steps.reduce<unknown>(
      (part, step) => (part as Record<string, unknown> | undefined)?.[step],
      document,
    )
    return found === undefined
      ? null
      : { described: found as DescribedAnswer, pointer: toPointer(steps) }
  }

  return {
    findMethods(target) {
      const path = findPath(target)
      return path === undefined ? undefined : Object.keys(document.paths[path] ?? {})
    },
    find(method, target, status) {
      const path = findPath(target)
      const own = method.toLowerCase()
      const operation = path === undefined ? undefined : document.paths[path]?.[own]
      const found =
        path !== undefined && operation !== undefined
          ? at("paths", path, own, "responses", `${status}`)
          : (findShared(path, status) ?? at("paths", SERVER_PATH, "get", "responses", `${status}`))
      assert.ok(
        found !== null,
        `${method} ${path ?? toPath(target)} ${status} is not described in the OpenAPI document`,
      )
      return { path, ...found }
    },
  }

  /** What is answered where there is no such path, or not by this method. */
  function findShared(path: string | undefined, status: number): ReturnType<typeof at> {
    if (path === undefined && status === 404) return at("components", "responses", "RouteNotFound")
    if (path !== undefined && status === 405) {
      return at("components", "responses", "MethodNotAllowed")
    }
    return null
  }
}

/** The slashes of a model's id, and of a tile's name, stand as they are, which OpenAPI has no word for. */
function toPattern(path: string): RegExp {
  const parts = path.replaceAll(".", "\\.").replaceAll(/\{(?:model_id|tile)\}/g, ".+")
  return new RegExp(`^${parts.replaceAll(/\{\w+\}/g, "[^/]+")}$`)
}

/** Of a request line's target, in origin or absolute form. */
function toPath(target: string): string {
  const { pathname } = new URL(target.startsWith("/") ? `http://service.example${target}` : target)
  return pathname.replaceAll(/(?:%[0-9a-f]{2})+/gi, decodeOrKeep)
}

function decodeOrKeep(coded: string): string {
  try {
    return decodeURI(coded)
  } catch (error) {
    if (error instanceof URIError) return coded
    throw error
  }
}

/** As a URI fragment (RFC 6901 §6). */
export function toPointer(steps: readonly string[]): string {
  return `#${steps
    .map((step) => `/${encodeURIComponent(step.replaceAll("~", "~0").replaceAll("/", "~1"))}`)
    .join("")}`
}
