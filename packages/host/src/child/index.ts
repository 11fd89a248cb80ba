/** For the programs that a process pool starts. It loads nothing of core, since each process would pay for it. */
export { serveOrders, type Host } from "./serve-orders.ts"
