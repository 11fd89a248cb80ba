/**
 * An endpoint is one declaration and its handler: the path, who may call it how often, its parameters, its
 * answers and refusals, and what it does. The router, the order of checks, the readers of query, headers and
 * body and the OpenAPI document are made from the declaration. So is the type of the call that the handler
 * gets: a refusal or an answer that is not declared does not compile.
 */
import type { Account, Identity } from "@safelight/core"
import type * as v from "valibot"
import type { KeyNeed } from "../access/check-access.ts"
import type { Body, Shown, Written } from "../bodies/body.ts"
import type { ErrorCode } from "../errors/error-table.ts"
import type { Refuse } from "../errors/refusal.ts"
import type { Exchange } from "./exchange.ts"
import type { ResponseHeaderName } from "../openapi/response-headers.ts"
import type { BodyKind } from "../request/body-kinds.ts"
import type { HeaderParameter, HeaderParameters } from "../request/header-parameters.ts"
import type { PathParameter } from "../request/path-parameters.ts"
import type {
  QueryParameter,
  QueryParameters,
  RequiredParameter,
} from "../request/query-parameters.ts"
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
    | "Proofs"
    | "Health"
    | "Reference"
  readonly summary: string
  readonly description?: string
}

/** An answer of an endpoint that is not a refusal. */
export interface AnswerDeclaration {
  readonly description: string
  /** A JSON body. */
  readonly json?: Body
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

/** Everything about an endpoint but what it does. */
export interface Declaration {
  /** GET answers HEAD too. */
  readonly method: "DELETE" | "GET" | "PATCH" | "POST" | "PUT"
  /** As Hono writes it: `/v1/tasks/:task`; only the last name may have a pattern, as `:model{.+}`. */
  readonly path: string
  readonly about?: About
  /** Absent: no key is needed. */
  readonly key?: KeyNeed
  /** If it is there, it describes each name of the path. */
  readonly inPath?: Readonly<Record<string, PathParameter>>
  /** Absent: the query is ignored. Otherwise every parameter that is not declared is refused. */
  readonly query?: QueryParameters
  readonly headers?: HeaderParameters
  readonly body?: BodyKind<unknown>
  readonly answers: Readonly<Record<number, AnswerDeclaration>>
  /** What the handler may refuse; the refusals of parameters, body and key are added to them. */
  readonly refusals: readonly ErrorCode[]
  readonly pathHeaders?: PathHeaders
}

type Names<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | Names<Rest>
  : Path extends `${string}:${infer Name}{${string}`
    ? Name
    : Path extends `${string}:${infer Name}`
      ? Name
      : never

type Caller<Declared> = Declared extends { readonly key: { readonly unless: unknown } }
  ? { readonly caller: Account | undefined }
  : Declared extends { readonly key: KeyNeed }
    ? { readonly caller: Account; readonly identity: Identity }
    : unknown

type QueryOf<Declared> = Declared extends { readonly query: infer Query }
  ? {
      readonly [Name in keyof Query]: Query[Name] extends RequiredParameter<infer Value>
        ? Value
        : Query[Name] extends QueryParameter<infer Value, infer Absent>
          ? Value | Absent
          : never
    }
  : undefined

type SentOf<Declared> = Declared extends { readonly headers: infer Headers }
  ? {
      readonly [Name in keyof Headers]: Headers[Name] extends HeaderParameter<infer Value>
        ? Value
        : never
    }
  : undefined

type Bodied<Declared> = Declared extends { readonly body: BodyKind<infer Value> }
  ? {
      /**
       * Receives and reads the declared body, and asks once more whether the key is good. To be called once. The
       * bytes count as held until the handler's promise settles, or `releaseBody` is called. Rejects with a
       * `Refusal`, or with `overloaded`.
       */
      readonly body: () => Promise<Value>
    }
  : unknown

/** A request whose declared checks have passed, but for those of its body. */
export type Call<Declared extends Declaration> = Exchange &
  Caller<Declared> &
  Bodied<Declared> & {
    readonly query: QueryOf<Declared>
    /** The values of the declared headers. */
    readonly sent: SentOf<Declared>
    /** Before a long wait: by then the handler must hold nothing of the body. */
    readonly releaseBody: () => void
    readonly refuse: Refuse<Declared["refusals"][number]>
    /** Returns `found`, or refuses with `code` if there is none. */
    readonly demand: <Found>(found: Found | undefined, code: Declared["refusals"][number]) => Found
    /** Answers with one of the declared statuses, and with its body. */
    readonly reply: <Status extends keyof Declared["answers"] & number>(
      status: Status,
      ...parts: ReplyParts<Declared["answers"][Status]>
    ) => Response
  }

type ReplyParts<Answer> = Answer extends { readonly json: infer Schema extends v.GenericSchema }
  ? readonly [body: Shown<Schema> | Written<Schema>, headers?: Readonly<Record<string, string>>]
  : readonly [text?: string, headers?: Readonly<Record<string, string>>]

/** May throw a `Refusal` or any error; `errors/answer-error.ts` answers both. */
export type Handler<Given> = (call: Given) => Response | Promise<Response>

/** An endpoint of any kind, for the router, the pipeline and the document. */
export interface Endpoint<Needs = Services> extends Declaration {
  /** Called once a router. Undefined if the host has nothing for it to serve: then the path is unknown. */
  readonly create: (services: Needs) => Handler<never> | undefined
}

/** An endpoint without its handler; `handle` makes it whole. */
export interface DeclaredEndpoint<Declared extends Declaration> {
  handle<Needs = Services>(
    create: (services: Needs) => Handler<Call<Declared>> | undefined,
  ): Endpoint<Needs>
  /** There is nothing at the path if the host has no such service. */
  handleWith<Name extends keyof Services>(
    name: Name,
    create: (
      service: Exclude<Services[Name], undefined>,
      services: Services,
    ) => Handler<Call<Declared>> | undefined,
  ): Endpoint
}

/** Each name of the path has to be described, if any is. */
export interface PathParameters<Path extends string> {
  readonly inPath?: Readonly<Record<Names<Path>, PathParameter>>
}

export function defineEndpoint<const Declared extends Declaration>(
  declaration: Declared & PathParameters<Declared["path"]>,
): DeclaredEndpoint<Declared> {
  return {
    handle: (create) => ({ ...declaration, create }),
    handleWith: (name, create) => ({
      ...declaration,
      create(services) {
        const service = services[name]
        return isThere(service) ? create(service, services) : undefined
      },
    }),
  }
}

function isThere<Value>(value: Value): value is Exclude<Value, undefined> {
  return value !== undefined
}
