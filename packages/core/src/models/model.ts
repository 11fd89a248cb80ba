/**
 * A model as data: what it takes, what it makes, what it costs. A host hands models of its own to the
 * engine, in addition to the three here. A definition is not checked: a host that loads one from
 * elsewhere has to check it first, since an estimate that throws refuses every request and a charge
 * that throws does so after the purchase.
 */
import * as v from "valibot"
import type { Usage } from "../task/events.ts"
import { chargeUsage } from "../money/charge.ts"
import type { LoggedParameters } from "../money/factors.ts"
import type { ModelPrice } from "../money/prices.ts"
import type { JsonObject } from "../values/canonical-json.ts"
import type { ArtifactKind } from "./artifact-kind.ts"
import { readForeign } from "../model-file/description.ts"
import type { MediaKind } from "./media-url.ts"
import { toParameterIssue, type ParameterIssue } from "./parameter-issue.ts"
import { askForeign, isForeign, type StandardSchema } from "./standard-schema.ts"
import type { Upstream } from "./upstream.ts"

export type ParameterValues = Readonly<Record<string, unknown>>

/** What people are told of a model besides its parameters. */
export interface ModelWords {
  /** The id by default. */
  readonly title?: string
  /** One sentence. */
  readonly description?: string
  /** Parameters to begin with. */
  readonly examples?: readonly unknown[]
  /** For the doors of other APIs, which have the same options for all models. */
  readonly options?: ModelOptions
}

/** By an option's name, as `size`, which parameter takes it. */
export type ModelOptions = Readonly<Record<string, ModelOption>>

export interface ModelOption {
  readonly parameter: string
  /** By an option's value what the parameter's is; one that is not here is passed on as it is. */
  readonly values?: Readonly<Record<string, unknown>>
}

export interface ModelDefinition<Parameters extends ParameterValues> extends ModelWords {
  /** The public id, matched exactly. */
  readonly id: string
  /** What its tasks produce: one kind, or several with the main one first, without which a task fails. */
  readonly artifacts: ArtifactKind | readonly [ArtifactKind, ...ArtifactKind[]]
  /**
   * Validates and applies defaults (specification §2.4–2.6): a schema of valibot, or of any library that has Standard
   * Schema and Standard JSON Schema, as zod and arktype have. A synchronous one.
   */
  readonly parameters: StandardSchema<Parameters>
  /** Parameters that are put into the log: enumerated, integer or boolean, never free text. */
  readonly logged: readonly (keyof Parameters & string)[]
  /**
   * Where parameters hold URLs of media, one or a list each, and the kind of media: `image_urls`, or through objects
   * and lists `elements/image_url`. Only these are passed to channels as inputs, and measured. By default none, or
   * those texts that a schema of another library than valibot describes with `x-media`.
   */
  readonly media?: Readonly<Partial<Record<MediaPath<Parameters>, MediaKind>>>
  /** The most that a task with these parameters may use up. */
  readonly estimate: (parameters: Parameters) => Usage
  /**
   * How many artifacts of each kind were asked for; what a channel makes beyond them is dropped. By default as many
   * images as `estimate` gives, and one of any other kind.
   */
  readonly counts?: (parameters: Parameters) => ArtifactCounts
  /** Integer micro-units, rounded up once at the end (design §8). By default `chargeUsage`. */
  readonly charge?: Model["charge"]
  readonly price?: ModelPrice
}

type MediaPath<Parameters> = (keyof Parameters & string) | `${keyof Parameters & string}/${string}`

/** None of a kind that is not named. */
export type ArtifactCounts = Readonly<Partial<Record<ArtifactKind, number>>>

export type ParameterCheck =
  | { readonly kind: "valid"; readonly parameters: ParameterValues }
  | { readonly kind: "invalid"; readonly issues: readonly ParameterIssue[] }

/** A model with its parameters' type hidden: what the engine works with. */
export interface Model extends ModelWords {
  readonly id: string
  /** What its tasks produce; the first is the main kind. Never empty, and no kind twice. */
  readonly artifacts: readonly ArtifactKind[]
  readonly parameters: v.GenericSchema
  /**
   * Of a model that is a file of JSON, what the file says of its tasks, as canonical JSON (`model-file/definition.ts`).
   * The patterns of such a model end soon on every text.
   */
  readonly definition?: string
  /** The parameters as JSON Schema, if it was defined by one; media are marked `x-media`. */
  readonly described?: JsonObject
  /** By path, what the URLs in it refer to: `image_urls`; through objects and lists `elements/image_url`. */
  readonly media: Readonly<Record<string, MediaKind>>
  /** Names of the parameters that are put into the log, sorted. */
  readonly logged: readonly string[]
  /** Checks a request's `parameters` and applies the defaults; all that is wrong, in order. */
  check(parameters: unknown): ParameterCheck
  /** The part of checked parameters that goes into the log. */
  toLogged(parameters: ParameterValues): Record<string, string | number | boolean>
  estimate(parameters: ParameterValues): Usage
  counts?(parameters: ParameterValues): ArtifactCounts
  charge(usage: Usage, price: ModelPrice, logged: LoggedParameters): number
  /** What it costs where no price table says it, as in a model's file. */
  readonly price?: ModelPrice
  /** By a provider's type, how it makes this model: what the model's file says. */
  readonly upstreams?: Readonly<Record<string, Upstream>>
}

/**
 * The definition as the engine works with it. It is not checked, but for the schema of another library than valibot:
 * throws `invalid-configuration` if that can't be described by JSON Schema, or bounds not all that it takes.
 */
export function defineModel<Parameters extends ParameterValues>(
  definition: ModelDefinition<Parameters>,
): Model {
  const logged = definition.logged.toSorted()
  const artifacts = [definition.artifacts].flat()
  const { counts, description, examples, options, title } = definition
  const {
    parameters: schema,
    refine,
    ...described
  } = takeSchema(definition.id, definition.parameters, definition.media)
  return {
    id: definition.id,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(examples !== undefined && { examples }),
    ...(options !== undefined && { options }),
    artifacts,
    parameters: schema,
    ...described,
    logged,
    check(parameters) {
      const result = v.safeParse(schema, parameters, { abortPipeEarly: true })
      if (!result.success) {
        const issues = result.issues.map((issue) => toParameterIssue("parameters", issue))
        return { kind: "invalid", issues }
      }
      return refine === undefined
        ? { kind: "valid", parameters: result.output }
        : refine(parameters)
    },
    toLogged(parameters) {
      const present = logged.filter((name) => parameters[name] !== undefined)
      return Object.fromEntries(
        present.map((name) => [name, parameters[name] as string | number | boolean]),
      )
    },
    estimate: (parameters) => definition.estimate(parameters as Parameters),
    ...(counts && { counts: (parameters) => counts(parameters as Parameters) }),
    charge: definition.charge ?? chargeUsage,
    ...(definition.price !== undefined && { price: definition.price }),
  }
}

interface TakenSchema extends Pick<Model, "described" | "media"> {
  readonly parameters: v.GenericSchema<unknown, ParameterValues>
  /** Checks what the schema has taken, and applies the defaults in its place. */
  readonly refine?: (parameters: unknown) => ParameterCheck
}

function takeSchema(id: string, schema: unknown, media: object = {}): TakenSchema {
  const paths = media as Model["media"]
  if (!isForeign(schema)) {
    return { parameters: schema as TakenSchema["parameters"], media: paths }
  }
  return {
    ...readForeign(schema, { id, media: paths }),
    refine: (checked) => askForeign(schema, checked, id),
  }
}

/** The kind without which a task of the model fails. */
export function toMainKind({ artifacts }: Pick<Model, "artifacts">): ArtifactKind {
  return artifacts[0] as ArtifactKind
}

/** How many artifacts of `kind` a task with these parameters was to make. */
export function countAsked(
  model: Pick<Model, "artifacts" | "counts" | "estimate">,
  parameters: ParameterValues,
  kind: ArtifactKind,
): number {
  if (!model.artifacts.includes(kind)) return 0
  if (model.counts !== undefined) return model.counts(parameters)[kind] ?? 0
  return kind === "image" ? model.estimate(parameters).images : 1
}
