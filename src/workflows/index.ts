export { agentRun } from './agent-run.ts';
export { budgetLedger } from './budget-ledger.ts';
