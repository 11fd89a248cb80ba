/**
 * Stubs of providers, to develop and test against without an account. They are real servers, and load nothing of
 * `node:test`: `safelight stub NAME` runs them.
 */
export type {
  AsideClock,
  RunningStub,
  StubDelivery,
  StubOptions,
  StubPurchase,
  StubRequest,
} from "./frame/running-stub.ts"
export { STUB_FAULTS, type StubFaults } from "./frame/stub-faults.ts"
export { STUBS } from "./stubs.ts"
