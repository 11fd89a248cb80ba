/** What every check is given. */
import type { Configuration } from "../configuration/configuration.ts"
import type { Environment } from "../configuration/secret-files.ts"
import type { AddressAnswer } from "./ask-address.ts"

export interface Surroundings {
  readonly configuration: Configuration
  readonly environment: Environment
  readonly clock: { readonly now: () => number }
  /** The longest that a request of a check may take, ms. */
  readonly patienceMs: number
  /** What answers where the service is to listen, asked once. */
  readonly askService: () => Promise<AddressAnswer>
}
