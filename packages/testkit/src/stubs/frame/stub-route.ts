/**
 * The routes of a stub. A pattern is a method and a path: `{name}` takes one segment and
 * `{name*}` one or more, with or without text around it. The first route that fits is taken.
 */
import type { StubCall } from "./stub-call.ts"

export interface StubReply {
  /** 200 by default. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** The body: JSON, text or bytes; none by default. */
  readonly json?: unknown
  readonly text?: string
  readonly bytes?: Buffer
  /** In place of a body: each is a server-sent event, whose data is JSON. */
  readonly events?: AsyncIterable<unknown>
  /** Zeros that follow the body. */
  readonly zeroBytes?: number
}

/** The place where faults strike: `create` buys, `poll` asks about a purchase. */
export type RouteKind = "create" | "poll" | "download" | "other"

export interface StubRoute {
  readonly kind: RouteKind
  readonly method: string
  readonly pattern: RegExp
  /** Whether it needs no credentials. */
  readonly isOpen: boolean
  /** Whether the call is for this route, if several have the same path. */
  readonly fits?: (call: StubCall) => boolean
  readonly handle: (call: StubCall) => StubReply | Promise<StubReply>
}

export type StubHandler = StubRoute["handle"]

/** A route that needs credentials; `target` is `METHOD /path/{name}`. */
export function route(kind: RouteKind, target: string, handle: StubHandler): StubRoute {
  const [method = "", path = ""] = target.split(" ")
  return { kind, method, pattern: toPattern(path), isOpen: false, handle }
}

/** A route that needs no credentials. */
export function openRoute(kind: RouteKind, target: string, handle: StubHandler): StubRoute {
  return { ...route(kind, target, handle), isOpen: true }
}

/** The first route that fits, having set the call's `params`; undefined if none does. */
export function findRoute(routes: readonly StubRoute[], call: StubCall): StubRoute | undefined {
  for (const each of routes) {
    const match = each.method === call.method ? each.pattern.exec(call.path) : null
    if (match === null || each.fits?.(call) === false) continue
    const params = Object.entries(match.groups ?? {}).map(([name, text]) => [name, decode(text)])
    call.params = Object.fromEntries(params)
    return each
  }
  return undefined
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // Malformed percent-encoding is left as it is.
    return text
  }
}

function toPattern(path: string): RegExp {
  const source = path.split(/(\{\w+\*?\})/).map((part) => {
    const [, name, star] = /^\{(\w+)(\*?)\}$/.exec(part) ?? []
    if (name === undefined) return part.replaceAll(/[.\\^$+?()[\]|]/g, String.raw`\$&`)
    return star === "*" ? `(?<${name}>.+?)` : `(?<${name}>[^/:]+)`
  })
  return new RegExp(`^${source.join("")}$`)
}
