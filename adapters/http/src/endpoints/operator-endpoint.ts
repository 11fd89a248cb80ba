/**
 * The frame of the operator's endpoints: each needs a key with the scope `admin`, and there is nothing at its path
 * unless the host passes what an operator sees and steers.
 */
import type { OperatorInsight } from "@safelight/core"
import {
  defineEndpoint,
  type About,
  type Call,
  type Declaration,
  type Endpoint,
  type Handler,
  type PathParameters,
} from "../pipeline/endpoint.ts"
import type { Services } from "../pipeline/services.ts"

export const OPERATOR_KEY = { scopes: ["admin"], rate: "read" } as const

interface OperatorDeclaration extends Omit<Declaration, "about" | "key"> {
  readonly about: Omit<About, "tag">
}

type Whole<Declared extends OperatorDeclaration> = Declared & {
  readonly about: { readonly tag: "Operator" }
  readonly key: typeof OPERATOR_KEY
}

interface OperatorEndpoint<Declared extends OperatorDeclaration> {
  handle(
    create: (
      insight: OperatorInsight,
      services: Services,
    ) => Handler<Call<Whole<Declared>>> | undefined,
  ): Endpoint
}

export function defineOperatorEndpoint<const Declared extends OperatorDeclaration>(
  declaration: Declared & PathParameters<Declared["path"]>,
): OperatorEndpoint<Declared> {
  const about = { ...declaration.about, tag: "Operator" as const }
  const whole = defineEndpoint<Whole<Declared>>({ ...declaration, about, key: OPERATOR_KEY })
  return { handle: (create) => whole.handleWith("insight", create) }
}
