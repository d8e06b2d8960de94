import { invalid, notFound } from './errors.mjs';

/** GitHub's own limit for a comment, measured by others. */
const MAX_COMMENT_CHARACTERS = 65_536;

/** Issues are made by the control endpoint; a comment on one that is not there is 404. */
function commentsOf(repository, number) {
  const issue = (repository.issues ?? {})[number];
  if (issue === undefined) throw notFound();
  return issue.comments;
}

export const listComments = ({ repository, shape, params, query, paged }) => {
  const since = query.get('since');
  const found = commentsOf(repository, params.issue_number).filter(
    (one) => since === null || Date.parse(one.updatedAt) >= Date.parse(since),
  );
  const { items, headers } = paged(found);
  return { status: 200, headers, body: items.map((one) => shape.comment(repository, params.issue_number, one)) };
};

export const createComment = ({ repository, shape, params, body, state, now }) => {
  const comments = commentsOf(repository, params.issue_number);
  if (typeof body.body !== 'string' || body.body.trim() === '') {
    throw invalid({ resource: 'IssueComment', code: 'missing_field', field: 'body' });
  }
  if (Array.from(body.body).length > MAX_COMMENT_CHARACTERS) {
    const message = `body is too long (maximum is ${MAX_COMMENT_CHARACTERS} characters)`;
    throw invalid({ resource: 'IssueComment', code: 'custom', field: 'body', message });
  }
  const comment = { id: state.nextId(), body: body.body, createdAt: now, updatedAt: now };
  comments.push(comment);
  return { status: 201, body: shape.comment(repository, params.issue_number, comment) };
};
