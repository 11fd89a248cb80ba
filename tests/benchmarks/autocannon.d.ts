/** The part of autocannon that the benchmarks use; the package ships no types of its own. */
declare module "autocannon" {
  export interface AutocannonRequest {
    readonly method: "GET" | "POST"
    readonly path: string
    readonly headers?: Readonly<Record<string, string>>
    readonly body?: string
    /** Called before each request. */
    readonly setupRequest?: (request: AutocannonRequest) => AutocannonRequest
  }
  export interface AutocannonOptions {
    readonly url: string
    readonly connections: number
    readonly duration: number
    readonly requests: readonly AutocannonRequest[]
    /** Requests per second over all connections. */
    readonly overallRate?: number
    /** Seconds that a reply may take. */
    readonly timeout?: number
  }
  export interface AutocannonResult {
    readonly non2xx: number
    readonly errors: number
    readonly requests: { readonly average: number; readonly total: number }
    readonly latency: { readonly p50: number; readonly p99: number }
  }
  const autocannon: (options: AutocannonOptions) => Promise<AutocannonResult>
  // oxlint-disable-next-line import/no-default-export -- how the package exports
  export default autocannon
}
