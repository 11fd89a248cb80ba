/** The public face of the door for agents. Every export is named here, and a test holds the list. */
export { DEFAULTS } from "./settings/defaults.ts"
export {
  createMcpHandler,
  type McpHandler,
  type McpHandlerOptions,
  type McpHttpRequest,
} from "./http/mcp-handler.ts"
export { serveStdio, type StdioDoor, type StdioOptions } from "./stdio/serve-stdio.ts"
