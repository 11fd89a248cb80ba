/**
 * The shape of a creation request (specification §2.3): exactly `model` and `parameters`. What is
 * inside `parameters` is the model's to judge, by way of the service.
 */
import { fields, toParameterIssue } from "@safelight/core"
import * as v from "valibot"
import { refuseParameters } from "../errors/refusal.ts"
import { refuse } from "./creation-refusals.ts"

export interface CreationRequest {
  readonly model: string
  readonly parameters: object
}

/** As it was sent: a schema of members would drop those called `__proto__`. */
const anyObject = { ...v.custom<object>(isObject), expects: "Object" as const }
const creationRequest = fields({ model: v.string(), parameters: anyObject })

/** Throws a `Refusal` that names everything wrong with the shape. */
export function parseCreationRequest(body: unknown): CreationRequest {
  if (!isObject(body)) {
    throw refuse("invalid_type", { message: "The request body must be a JSON object." })
  }
  const checked = v.safeParse(creationRequest, body)
  if (checked.success) return checked.output
  const issues = checked.issues.map((issue) => toParameterIssue("", issue))
  throw refuseParameters(refuse, issues)
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
