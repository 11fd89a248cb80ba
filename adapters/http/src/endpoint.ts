/**
 * An endpoint is one declaration: its path, who may call it how often, its parameters, its answers and
 * refusals, and what it does. The router, the order of checks, the readers of query and headers and the
 * OpenAPI document are made from it. A handler refuses and replies with the tools that `create` is given.
 * They take only the declared codes and statuses: one that is not declared does not compile.
 */
import type { Account, ApiKeyScope, Identity, RatePolicy } from "@safelight/core"
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

/** An endpoint in the document; one without it is not described there. */
export interface About {
  /** Its `operationId`. */
  readonly id: string
  readonly tag:
    | "Tasks"
    | "Artifacts"
    | "Usage"
    | "Keys"
    | "Models"
    | "Webhooks"
    | "Operator"
    | "Callbacks"
    | "Health"
    | "Reference"
  readonly summary: string
  readonly description?: string
}

/** The key that a caller needs. */
export interface KeyNeed {
  /** All of them. */
  readonly scopes: readonly ApiKeyScope[]
  /** The rate that the request is counted against. */
  readonly rate: RatePolicy
  /** Another way in: if it is there no key is looked at, and the handler decides. */
  readonly unless?: Opener
}

/** A parameter of the query that replaces a key. */
export interface Opener {
  readonly name: string
  readonly description: string
  readonly isThere: (request: Request) => boolean
}

/** An answer of an endpoint that is not a refusal. */
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
  /** For the document: which headers, and on which statuses besides 405. */
  readonly described: { readonly names: readonly ResponseHeaderName[]; readonly on: Statuses }
}

type Statuses = readonly number[]

type Names<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | Names<Rest>
  : Path extends `${string}:${infer Name}{${string}`
    ? Name
    : Path extends `${string}:${infer Name}`
      ? Name
      : never

type Caller<Key> = Key extends { readonly unless: unknown }
  ? { readonly caller?: Account }
  : Key extends KeyNeed
    ? { readonly caller: Account; readonly identity: Identity }
    : unknown

type Body<Kind> = Kind extends BodyKind<infer Value> ? Value : undefined

/** A request whose declared checks have passed. */
export type Call<Key, Query, Headers, Kind> = Exchange &
  Caller<Key> & {
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

/** May throw a `Refusal` or any error; `errors/answer-error.ts` answers both. */
export type Handler<Given extends Exchange> = (call: Given) => Response | Promise<Response>

/** What a handler answers with: the declared codes and statuses alone. */
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
  /** As Hono writes it: `/v1/tasks/:task`; only the last name may have a pattern, as `:model{.+}`. */
  readonly path: Path
  readonly about?: About
  /** Absent: no key is needed. */
  readonly key?: Key
  readonly inPath?: Readonly<Record<Names<Path>, PathParameter>>
  /** Absent: the query is ignored. Otherwise every parameter that is not declared is refused. */
  readonly query?: Query
  readonly headers?: Headers
  readonly body?: Kind
  readonly answers: Readonly<Record<Status, AnswerDeclaration>>
  /** What the handler may refuse; the refusals of parameters, body and key are added to them. */
  readonly refusals: readonly Code[]
  readonly pathHeaders?: PathHeaders
  /** Called once a handler. Undefined if the host has nothing for it to serve: then the path is unknown. */
  readonly create: (
    services: Needs,
    tools: Tools<Status, Code>,
  ) => Handler<Call<Key, Query, Headers, Kind>> | undefined
}

/** An endpoint of any kind, for the router, the pipeline and the document. */
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
  // The checks before a handler fill in what the type of its call names (`pipeline.ts`).
  return declaration as unknown as Endpoint<Needs>
}
