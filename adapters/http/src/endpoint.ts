/**
 * What an endpoint is: one declaration of its path, who may call it how often, its parameters, its
 * answers and refusals, and what it does. The router, the order of checks, the readers of query and
 * headers and the OpenAPI document are made from it. A handler refuses and replies by the tools that
 * `create` is given, and those take the declared codes and statuses alone: what is not declared does
 * not compile.
 */
import type { Account, ApiKeyScope, RatePolicy } from "@safelight/core"
import type { ErrorCode } from "./errors/error-table.ts"
import type { Refuse } from "./errors/refusal.ts"
import type { Exchange } from "./exchange.ts"
import type { Reply } from "./json-response.ts"
import type { ResponseHeaderName } from "./openapi/response-headers.ts"
import type { ResponseSchemaName } from "./openapi/response-schemas.ts"
import type { BodyKind } from "./request/body-kinds.ts"
import type { HeaderParameter, HeaderParameters } from "./request/header-parameters.ts"
import type { PathParameter } from "./request/path-parameters.ts"
import type { QueryParameter, QueryParameters } from "./request/query-parameters.ts"
import type { Services } from "./services.ts"

/** What the document says of an endpoint; one without it is not described. */
export interface About {
  /** Its `operationId`. */
  readonly id: string
  readonly tag: "Tasks" | "Artifacts" | "Usage" | "Callbacks" | "Health" | "Reference"
  readonly summary: string
  readonly description?: string
}

/** The key that a caller needs. */
export interface KeyNeed {
  /** All of them. */
  readonly scopes: readonly ApiKeyScope[]
  /** What the request is counted against. */
  readonly rate: RatePolicy
  /** What else opens the endpoint: where it stands no key is looked at, and the handler decides. */
  readonly unless?: Opener
}

/** A parameter of the query that stands in for a key. */
export interface Opener {
  readonly name: string
  readonly description: string
  readonly isThere: (request: Request) => boolean
}

/** One of an endpoint's answers that are no refusals. */
export interface AnswerDeclaration {
  readonly description: string
  /** The schema of a JSON body. */
  readonly json?: ResponseSchemaName
  /** The media types of another body; neither: it has none. */
  readonly types?: readonly string[]
  /** Headers besides those of every JSON answer: on each answer of this status, and on some. */
  readonly always?: readonly ResponseHeaderName[]
  readonly sometimes?: readonly ResponseHeaderName[]
}

/** Headers of every answer at a path, whatever its status or method, OPTIONS too. */
export interface PathHeaders {
  /** Lower-case names. */
  readonly toHeaders: (request: Request) => Readonly<Record<string, string>>
  /** What the document says of them: where they may stand, besides on a 405. */
  readonly described: { readonly names: readonly ResponseHeaderName[]; readonly on: Statuses }
}

type Statuses = readonly number[]

type Names<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | Names<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never

type Caller<Key> = Key extends { readonly unless: unknown }
  ? { readonly caller?: Account }
  : Key extends KeyNeed
    ? { readonly caller: Account }
    : unknown

type Body<Kind> = Kind extends BodyKind<infer Value> ? Value : undefined

/** A request whose declared checks have passed. */
export type Call<Key, Query, Headers, Kind> = Exchange &
  Caller<Key> & {
    readonly startedAt: number
    readonly query: {
      readonly [Name in keyof Query]: Query[Name] extends QueryParameter<infer Value, infer Absent>
        ? Value | Absent
        : never
    }
    readonly sent: {
      readonly [Name in keyof Headers]: Headers[Name] extends HeaderParameter<infer Value>
        ? Value
        : never
    }
    readonly body: Body<Kind>
  }

/** Throws what `refuse` made, or an outside error; both are answered for it. */
export type Handler<Given extends Exchange> = (call: Given) => Response | Promise<Response>

/** What a handler answers by: of the declared codes and statuses alone. */
export interface Tools<Status extends number, Code extends ErrorCode> {
  readonly refuse: Refuse<Code>
  readonly reply: Reply<Status>
}

export interface Declaration<
  Needs,
  Path extends string,
  Key,
  Query extends QueryParameters | undefined,
  Headers extends HeaderParameters | undefined,
  Kind extends BodyKind<unknown> | undefined,
  Status extends number,
  Code extends ErrorCode,
> {
  /** GET answers HEAD too. */
  readonly method: "DELETE" | "GET" | "PATCH" | "POST" | "PUT"
  /** As Hono writes it: `/v1/tasks/:task`. */
  readonly path: Path
  readonly about?: About
  /** Absent: nobody is asked for one. */
  readonly key?: Key
  readonly inPath?: Readonly<Record<Names<Path>, PathParameter>>
  /** Absent: the query says nothing, and is ignored; else every other parameter is refused. */
  readonly query?: Query
  readonly headers?: Headers
  readonly body?: Kind
  readonly answers: Readonly<Record<Status, AnswerDeclaration>>
  /** What `create` may refuse; what parameters, body and key are refused for is added to them. */
  readonly refusals: readonly Code[]
  readonly pathHeaders?: PathHeaders
  /** Once a process; undefined where the host has nothing for it to serve: then the path is unknown. */
  readonly create: (
    services: Needs,
    tools: Tools<Status, Code>,
  ) => Handler<Call<Key, Query, Headers, Kind>> | undefined
}

/** An endpoint of any kind, as those read it who make something of its declaration. */
export type Endpoint<Needs = Services> = Omit<
  Declaration<
    Needs,
    string,
    KeyNeed | undefined,
    QueryParameters | undefined,
    HeaderParameters | undefined,
    BodyKind<unknown> | undefined,
    number,
    ErrorCode
  >,
  "create" | "inPath"
> & {
  readonly inPath?: Readonly<Record<string, PathParameter>>
  readonly create: (
    services: Needs,
    tools: Tools<number, ErrorCode>,
  ) => Handler<Exchange> | undefined
}

export function defineEndpoint<
  Needs = Services,
  const Path extends string = string,
  const Key extends KeyNeed | undefined = undefined,
  const Query extends QueryParameters | undefined = undefined,
  const Headers extends HeaderParameters | undefined = undefined,
  const Kind extends BodyKind<unknown> | undefined = undefined,
  const Status extends number = never,
  const Code extends ErrorCode = never,
>(declaration: Declaration<Needs, Path, Key, Query, Headers, Kind, Status, Code>): Endpoint<Needs> {
  // The checks before a handler fill what its own type names (`pipeline.ts`).
  return declaration as unknown as Endpoint<Needs>
}
