<?php
// The calls of phpsupabase's README. argv: the folder of the library's sources. Prints one JSON object a step.
$sources = $argv[1];
require getenv('GUZZLE_AUTOLOAD') ?: '/usr/share/php/GuzzleHttp/autoload.php';
spl_autoload_register(function ($name) use ($sources) {
    $file = "$sources/src/" . basename(str_replace('\\', '/', $name)) . '.php';
    if (str_starts_with($name, 'PHPSupabase\\') && is_file($file)) require $file;
});

$url = getenv('SUPABASE_URL');
$key = getenv('SUPABASE_ANON_KEY');
$secret = getenv('SUPABASE_SERVICE_ROLE_KEY');
$password = 'Greenock pier';
$state = (object) [];

function step(string $name, callable $run): void
{
    try {
        $run();
        $error = null;
    } catch (Throwable $thrown) {
        $error = $thrown->getMessage() ?: get_class($thrown);
    }
    echo json_encode(['step' => $name, 'error' => $error]), "\n";
}

function same($expected, $actual): void
{
    if ($expected != $actual) throw new Exception('expected ' . json_encode($expected) . ', got ' . json_encode($actual));
}

/** Runs a call that must be refused, and returns the error text that the library has read from the response. */
function refused($api, callable $run): string
{
    try {
        $run();
    } catch (Exception) {
        return (string) $api->getError();
    }
    throw new Exception('was not refused');
}

$service = fn () => new PHPSupabase\Service($key, $url);
$admin = fn () => (new PHPSupabase\Service($secret, $url))->createAuthAdmin();
$signedIn = fn () => $service()->setBearerToken($state->token);

step('AuthAdmin: create, list and get users', function () use ($admin, $password, $state) {
    $api = $admin();
    $api->createUser('php@club.example', $password, true, ['first_name' => 'Michael']);
    $state->id = $api->data()->id;
    same('Michael', $api->data()->user_metadata->first_name);
    $api->listUsers(1, 50);
    same(true, in_array($state->id, array_column($api->data()->users, 'id')));
    $api->getUser($state->id);
    same('php@club.example', $api->data()->email);
});
step('AuthAdmin: update a user, ban it and lift the ban', function () use ($admin, $state) {
    $api = $admin();
    $api->updateUser($state->id, ['user_metadata' => ['role' => 'editor'], 'ban_duration' => '24h']);
    same(true, isset($api->data()->banned_until));
    $api->updateUser($state->id, ['ban_duration' => 'none']);
    same('editor', $api->data()->user_metadata->role);
    same(false, isset($api->data()->banned_until));
});
step('AuthAdmin: generate a link', function () use ($admin) {
    $api = $admin();
    $api->generateLink('recovery', 'php@club.example', ['redirect_to' => 'https://club.example/reset']);
    same(1, preg_match('#/auth/v1/verify\?token=.+&type=recovery#', $api->data()->action_link));
});
step('AuthAdmin: the public key is refused', function () use ($service) {
    $api = $service()->createAuthAdmin();
    same(true, refused($api, fn () => $api->listUsers()) !== '');
});
step('Auth: create a user with metadata', function () use ($service, $password) {
    $auth = $service()->createAuth();
    $auth->createUserWithEmailAndPassword('lebron@club.example', $password, ['name' => 'Lebron', 'age' => '34']);
    same('lebron@club.example', $auth->data()->email);
    same('34', $auth->data()->user_metadata->age);
});
step('Auth: a wrong password is refused', function () use ($service) {
    $auth = $service()->createAuth();
    same('Invalid login credentials', refused($auth, fn () => $auth->signInWithEmailAndPassword('php@club.example', 'wrong')));
});
step('Auth: sign in, refresh, read the user', function () use ($service, $password, $state) {
    $auth = $service()->createAuth();
    $auth->signInWithEmailAndPassword('php@club.example', $password);
    same('php@club.example', $auth->data()->user->email);
    $auth->signInWithRefreshToken($auth->data()->refresh_token);
    $state->token = $auth->data()->access_token;
    same($state->id, $auth->getUser($state->token)->id);
    same(true, $auth->isAuthenticated($state->token));
});
step('Auth: a token that is none is refused', function () use ($service) {
    $auth = $service()->createAuth();
    same(1, preg_match('/invalid JWT/', refused($auth, fn () => $auth->getUser('nothing'))));
});
step('Auth: update the metadata', function () use ($service, $state) {
    $user = $service()->createAuth()->updateUser($state->token, null, null, ['last_name' => 'Jordan']);
    same(['editor', 'Jordan'], [$user->user_metadata->role, $user->user_metadata->last_name]);
});
step('Auth: magic link and password recovery', function () use ($service) {
    $service()->createAuth()->signInWithMagicLink('php@club.example');
    $service()->createAuth()->recoverPassword('php@club.example');
});
step('Database: insert, update and delete with the token of a user', function () use ($signedIn) {
    [$row] = $signedIn()->initializeDatabase('members', 'id')->insert(['name' => 'Php', 'age' => '34', 'club_id' => '1']);
    same(34, $row->age);
    [$row] = $signedIn()->initializeDatabase('members', 'id')->update((string) $row->id, ['age' => 35]);
    same(35, $row->age);
    [$row] = $signedIn()->initializeDatabase('members', 'id')->delete((string) $row->id);
    same('Php', $row->name);
});
step('Database: a visitor may not insert', function () use ($service) {
    $db = $service()->initializeDatabase('members', 'id');
    same(1, preg_match('/row-level security/', refused($db, fn () => $db->insert(['name' => 'Visitor']))));
});
step('Database: fetchAll, findBy, findByLike, join', function () use ($service) {
    $db = fn () => $service()->initializeDatabase('members', 'id');
    same(4, count($db()->fetchAll()->getResult()));
    same('Ann', $db()->findBy('name', 'Ann')->getFirstResult()->name);
    same(['Cara, Jr. (2nd)'], array_column($db()->findByLike('name', '%Jr%')->getResult(), 'name'));
    same('Chess', $db()->join('clubs', 'id')->getFirstResult()->clubs->name);
});
step('Database: custom queries', function () use ($service) {
    $query = ['select' => 'id,name,age', 'from' => 'members', 'join' => [['table' => 'clubs', 'tablekey' => 'id']], 'where' => ['age' => 'gt.12', 'name' => 'like.%b%'], 'limit' => 4];
    $rows = $service()->initializeDatabase('members', 'id')->createCustomQuery($query)->getResult();
    same([['Bob', 'Chess']], array_map(fn ($row) => [$row->name, $row->clubs->name], $rows));
});
step('QueryBuilder: join, where, order, range, limit', function () use ($service) {
    $query = $service()->initializeQueryBuilder();
    $rows = $query->select('*')->from('members')->join('clubs', 'id')->where('club_id', 'eq.1')->where('age', 'gt.10')->order('age.desc')->execute()->getResult();
    same([['Bob', 'Chess'], ['Ann', 'Chess']], array_map(fn ($row) => [$row->name, $row->clubs->name], $rows));
    same(['Ann', 'Bob'], array_column($service()->initializeQueryBuilder()->select('name')->from('members')->order('name.asc')->range('0-1')->execute()->getResult(), 'name'));
    same(['Ann'], array_column($service()->initializeQueryBuilder()->select('name')->from('members')->where('name', 'in.(Ann,Zoe)')->limit(3)->execute()->getResult(), 'name'));
});
step('QueryBuilder: a missing column is refused', function () use ($service) {
    $query = $service()->initializeQueryBuilder();
    same(1, preg_match('/does not exist/', refused($query, fn () => $query->select('nothing')->from('members')->execute())));
});
step('Auth: log out; AuthAdmin: delete the user', function () use ($service, $admin, $state) {
    $auth = $service()->createAuth();
    $auth->logout($state->token);
    same(1, preg_match('/Session from session_id claim/', refused($auth, fn () => $auth->getUser($state->token))));
    $admin()->deleteUser($state->id);
    $api = $admin();
    same(true, refused($api, fn () => $api->getUser($state->id)) !== '');
});
