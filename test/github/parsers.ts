/** GitHub's own parsers of workflows and of action.yml, which are published for bundlers: Node has to be told how to load their schemas. */
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

registerHooks({
  load: (url, context, next) =>
    url.includes('@actions/workflow-parser') && url.endsWith('.json')
      ? { format: 'module', shortCircuit: true, source: `export default ${readFileSync(fileURLToPath(url), 'utf8')}` }
      : next(url, context),
});

const { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } = await import('@actions/workflow-parser');
// The parser of action.yml is in the package, and not among its exports.
const actions = new URL('actions/index.js', import.meta.resolve('@actions/workflow-parser'));
const { parseAction } = (await import(actions.href)) as { readonly parseAction: typeof parseWorkflow };
const trace = new NoOperationTraceWriter();

/** What GitHub has to say against a workflow: its syntax, its fields, and the expressions in them. */
export async function workflowComplaints(name: string, content: string): Promise<readonly string[]> {
  const { context, value } = parseWorkflow({ name, content }, trace);
  const errors = context.errors.getErrors().map((error) => error.message);
  if (value === undefined) return errors;
  const template = await convertWorkflowTemplate(context, value);
  return [...errors, ...(template.errors ?? []).map((error) => error.Message)];
}

/** What GitHub has to say against an action.yml. */
export function actionComplaints(content: string): readonly string[] {
  const { context } = parseAction({ name: 'action.yml', content }, trace);
  return context.errors.getErrors().map((error) => error.message);
}
