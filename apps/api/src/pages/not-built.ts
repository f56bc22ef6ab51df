/**
 * The page that the API serves in place of a dashboard or guide that was not built. It needs neither script nor style.
 */
export const renderNotBuilt = (part: 'dashboard' | 'guide'): string => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Carillon: the ${part} is not built</title></head>
<body>
<h1>The ${part} is not built</h1>
<p>The API works. To build the ${part}, run <code>npx turbo run build --filter=@carillon/${part}</code> and start the API again.</p>
<p>The API reference is at <a href="/docs">/docs</a>.</p>
</body>
</html>
`;
