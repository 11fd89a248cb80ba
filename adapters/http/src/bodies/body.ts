/**
 * A JSON body of an answer is one schema. The type of what a handler answers, the component of the API's
 * document with its example, and so the client's type and the check that every test makes of real answers, are
 * made from it. The schemas take unknown members, as a client should, for bodies may grow.
 */
import * as v from "valibot"

type Facts<Schema extends v.GenericSchema> = {
  readonly name: string
  readonly example: Shown<Schema>
}

/** A schema that is a component of the document, with its name there and its example as metadata. */
export type Body<Schema extends v.GenericSchema = v.GenericSchema> = v.SchemaWithPipe<
  readonly [Schema, v.MetadataAction<v.InferOutput<Schema>, Facts<Schema>>]
>

/** What a member says, for the document and the client. */
export function described<const Schema extends v.GenericSchema, const Words extends string>(
  schema: Schema,
  words: Words,
): v.SchemaWithPipe<readonly [Schema, v.DescriptionAction<v.InferOutput<Schema>, Words>]> {
  return v.pipe(schema, v.description(words))
}

/** An object with these members. */
export function defineBody<const Entries extends v.ObjectEntries>(
  name: string,
  example: Shown<v.ObjectSchema<Entries, undefined>>,
  entries: Entries,
  description?: string,
): Body<v.ObjectSchema<Entries, undefined>> {
  const facts = { name, example, ...(description !== undefined && { description }) }
  return v.pipe(v.object(entries), v.metadata(facts))
}

/** The bodies among these schemas and within them, each once. */
export function findBodies(schemas: readonly v.GenericSchema[]): readonly Body[] {
  const found = new Set<Body>()
  const visit = (part: unknown): void => {
    if (typeof part !== "object" || part === null) return
    if (isBody(part)) found.add(part)
    if ("entries" in part) Object.values(part.entries ?? {}).forEach(visit)
    if ("item" in part) visit(part.item)
    if ("wrapped" in part) visit(part.wrapped)
  }
  schemas.forEach(visit)
  return [...found]
}

function isBody(schema: object): schema is Body {
  return "pipe" in schema && Array.isArray(schema.pipe) && schema.pipe.some(isFacts)
}

function isFacts(part: object): boolean {
  return "type" in part && part.type === "metadata"
}

declare const WRITTEN: unique symbol

/** JSON of the schema's output that was put together by hand, where `JSON.stringify` would be too slow. */
export type Written<Schema extends v.GenericSchema> = string & {
  readonly [WRITTEN]: v.InferOutput<Schema>
}

/** `text` must be as the schema says; a property test is what holds it to that. */
export function toWritten<Schema extends v.GenericSchema>(text: string): Written<Schema> {
  return text as Written<Schema>
}

/** What a handler answers with a body of this schema. */
export type Shown<Schema extends v.GenericSchema> = ReadonlyDeep<v.InferOutput<Schema>>

type ReadonlyDeep<Value> = Value extends readonly (infer Item)[]
  ? readonly ReadonlyDeep<Item>[]
  : Value extends object
    ? { readonly [Name in keyof Value]: ReadonlyDeep<Value[Name]> }
    : Value
