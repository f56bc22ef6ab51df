/** The page at `/` of an API whose dashboard was not built. It needs neither script nor style. */
export const renderNotBuilt = (): string => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Carillon: the dashboard is not built</title></head>
<body>
<h1>The dashboard is not built</h1>
<p>The API works. To build the dashboard, run <code>npx turbo run build --filter=@carillon/dashboard</code> and start the API again.</p>
<p>The API reference is at <a href="/docs">/docs</a>.</p>
</body>
</html>
`;
