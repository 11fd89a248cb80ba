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
import type { MediaKind } from "./media-url.ts"
import { toParameterIssue, type ParameterIssue } from "./parameter-issue.ts"
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
}

export interface ModelDefinition<Parameters extends ParameterValues> extends ModelWords {
  /** The public id, matched exactly. */
  readonly id: string
  /** What its tasks produce: one kind, or several with the main one first, without which a task fails. */
  readonly artifacts: ArtifactKind | readonly [ArtifactKind, ...ArtifactKind[]]
  /** Validates and applies defaults (specification §2.4–2.6). */
  readonly parameters: v.GenericSchema<unknown, Parameters>
  /** Parameters that are put into the log: enumerated, integer or boolean, never free text. */
  readonly logged: readonly (keyof Parameters & string)[]
  /**
   * Parameters that hold URLs of media, one or a list each, and the kind of media; none by default. Only
   * these are passed to channels as inputs, and measured.
   */
  readonly media?: Readonly<Partial<Record<keyof Parameters & string, MediaKind>>>
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

/** The definition as the engine works with it; it is not checked. */
export function defineModel<Parameters extends ParameterValues>(
  definition: ModelDefinition<Parameters>,
): Model {
  const logged = definition.logged.toSorted()
  const artifacts = [definition.artifacts].flat()
  const { counts, description, examples, title } = definition
  return {
    id: definition.id,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(examples !== undefined && { examples }),
    artifacts,
    parameters: definition.parameters,
    media: (definition.media ?? {}) as Readonly<Record<string, MediaKind>>,
    logged,
    check(parameters) {
      const result = v.safeParse(definition.parameters, parameters, { abortPipeEarly: true })
      if (result.success) return { kind: "valid", parameters: result.output }
      const issues = result.issues.map((issue) => toParameterIssue("parameters", issue))
      return { kind: "invalid", issues }
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
