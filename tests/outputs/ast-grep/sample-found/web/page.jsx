export const Page = ({ post }) => (
  <article dangerouslySetInnerHTML={{ __html: post.body }} />
);
