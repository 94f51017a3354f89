//! Policy for outbound requests: the addresses of other servers to which the program may connect.
//!
//! A host name is resolved once, and the connection uses the address that was checked, which prevents DNS rebinding. The clients do
//! not follow redirects.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::sync::Arc;
use std::time::Duration;

use axum::BoxError;
use ipnet::{IpNet, Ipv4Net, Ipv6Net};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder};
use url::{Host, Url};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// Networks, most of them link-local, where clouds serve the credentials of a virtual machine (instance metadata service).
const METADATA_NETWORKS: [IpNet; 4] = [
    v4([169, 254, 0, 0], 16),
    v4([100, 100, 100, 200], 32),
    v6([0xfe80, 0, 0, 0, 0, 0, 0, 0], 10),
    v6([0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254], 128),
];
/// Networks of special-purpose addresses, which are not part of the public internet (IANA registries, RFC 6890).
const SPECIAL_PURPOSE_NETWORKS: [IpNet; 23] = [
    v4([0, 0, 0, 0], 8),
    v4([10, 0, 0, 0], 8),
    v4([100, 64, 0, 0], 10),
    v4([127, 0, 0, 0], 8),
    v4([172, 16, 0, 0], 12),
    v4([192, 0, 0, 0], 24),
    v4([192, 0, 2, 0], 24),
    v4([192, 168, 0, 0], 16),
    v4([198, 18, 0, 0], 15),
    v4([198, 51, 100, 0], 24),
    v4([203, 0, 113, 0], 24),
    v4([224, 0, 0, 0], 3),
    v6([0, 0, 0, 0, 0, 0, 0, 0], 96),
    // Local-use NAT64 (RFC 8215): an address of this network may be translated to an IPv4 address of any network.
    v6([0x64, 0xff9b, 1, 0, 0, 0, 0, 0], 48),
    v6([0x100, 0, 0, 0, 0, 0, 0, 0], 63),
    v6([0x2001, 0, 0, 0, 0, 0, 0, 0], 23),
    v6([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], 32),
    v6([0x2002, 0, 0, 0, 0, 0, 0, 0], 16),
    v6([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20),
    v6([0x5f00, 0, 0, 0, 0, 0, 0, 0], 16),
    v6([0xfc00, 0, 0, 0, 0, 0, 0, 0], 7),
    v6([0xfec0, 0, 0, 0, 0, 0, 0, 0], 10),
    v6([0xff00, 0, 0, 0, 0, 0, 0, 0], 8),
];
/// An address in the public internet (a DNS root name server). Used to ask the kernel for the route to the internet; no packets are sent to
/// it.
const SOMEWHERE: IpAddr = IpAddr::V4(Ipv4Addr::new(198, 41, 0, 4));
/// Port for [`SOMEWHERE`]. Because no packets are sent, any port would be suitable (9 is `discard`, RFC 863).
const DISCARD_PORT: u16 = 9;
/// Network of IPv6 addresses that a NAT64 translator maps to IPv4 addresses (RFC 6052).
const NAT64_NETWORK: Ipv6Net = Ipv6Net::new_assert(Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, 0, 0), 96);

const fn v4([a, b, c, d]: [u8; 4], bits: u8) -> IpNet {
    IpNet::V4(Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, d), bits))
}

const fn v6([a, b, c, d, e, f, g, h]: [u16; 8], bits: u8) -> IpNet {
    IpNet::V6(Ipv6Net::new_assert(Ipv6Addr::new(a, b, c, d, e, f, g, h), bits))
}

/// Returns the IPv4 networks that are not part of the public internet.
pub fn closed_ipv4_networks() -> impl Iterator<Item = Ipv4Net> {
    let networks = METADATA_NETWORKS.into_iter().chain(SPECIAL_PURPOSE_NETWORKS);
    networks.filter_map(|network| if let IpNet::V4(network) = network { Some(network) } else { None })
}

/// Who chose the URL of an outbound request. This determines the addresses to which the request may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChosenBy {
    /// The URL comes from the project's configuration or the project's SQL. Requests to local services are allowed.
    Project,
    /// The URL may come from the caller of an API. Only addresses of the public internet are allowed.
    Caller,
}

/// Policy for the addresses of outbound requests.
#[derive(Clone, Debug, Default)]
pub struct Outbound {
    allowed: Arc<[IpNet]>,
}

impl Outbound {
    /// Creates the policy. Requests to the networks in `allowed` are permitted, whoever chose the URL and even if these networks are
    /// special-purpose networks.
    #[must_use]
    pub fn new(allowed: &[IpNet]) -> Self {
        Self { allowed: allowed.into() }
    }

    /// Returns an HTTP client that connects only to permitted addresses of a host name. The client does not check URLs that contain an IP
    /// address instead of a host name: call [`Self::permits`] first.
    pub fn client(&self, chosen_by: ChosenBy) -> ClientBuilder {
        Client::builder()
            .redirect(Policy::none())
            .connect_timeout(CONNECT_TIMEOUT)
            // A proxy from the environment (`HTTPS_PROXY`) would resolve the host names itself, so this program could not check the
            // addresses.
            .no_proxy()
            .dns_resolver(Arc::new(Resolver { outbound: self.clone(), chosen_by }))
    }

    /// Whether a request to a URL is allowed. For a host name, returns true: its addresses are checked later, when the client resolves the
    /// host name.
    #[must_use]
    pub fn permits(&self, url: &Url, chosen_by: ChosenBy) -> bool {
        match url.host() {
            Some(Host::Ipv4(address)) => self.permits_address(address.into(), chosen_by),
            Some(Host::Ipv6(address)) => self.permits_address(address.into(), chosen_by),
            Some(Host::Domain(_)) => true,
            None => false,
        }
    }

    /// Resolves the host name of a URL and returns whether a request to the URL is allowed. At least one address of the host must be
    /// allowed.
    ///
    /// # Errors
    /// When the host name cannot be resolved.
    pub async fn reaches(&self, url: &Url, chosen_by: ChosenBy) -> std::io::Result<bool> {
        let Some(Host::Domain(name)) = url.host() else { return Ok(self.permits(url, chosen_by)) };
        let mut found = tokio::net::lookup_host((name, 0)).await?;
        Ok(found.any(|address| self.permits_address(address.ip(), chosen_by)))
    }

    fn permits_address(&self, address: IpAddr, chosen_by: ChosenBy) -> bool {
        let address = match address.to_canonical() {
            IpAddr::V6(address) if NAT64_NETWORK.contains(&address) => {
                let [.., a, b, c, d] = address.octets();
                Ipv4Addr::new(a, b, c, d).into()
            }
            address => address,
        };
        let is_in = |networks: &[IpNet]| networks.iter().any(|network| network.contains(&address));
        is_in(&self.allowed)
            || !(is_in(&METADATA_NETWORKS)
                || chosen_by == ChosenBy::Caller && (is_in(&SPECIAL_PURPOSE_NETWORKS) || is_of_this_machine(address)))
    }
}

/// Whether an IP address belongs to this machine. Only the project itself may send requests to such an address: a firewall may protect the
/// address from the internet, but not from programs on this machine.
fn is_of_this_machine(address: IpAddr) -> bool {
    own_address_towards(address) == Some(address)
}

/// Returns the IPv4 address from which this machine sends packets to the internet. `None` if it has no IPv4 route to the internet.
#[must_use]
pub fn own_ipv4_address() -> Option<Ipv4Addr> {
    match own_address_towards(SOMEWHERE)? {
        IpAddr::V4(address) => Some(address),
        IpAddr::V6(_) => None,
    }
}

/// Returns the local address from which the kernel would send packets to `address`. This is `address` itself if it belongs to this machine.
/// Sends no packets. `None` if there is no route.
fn own_address_towards(address: IpAddr) -> Option<IpAddr> {
    let unspecified = if address.is_ipv4() { IpAddr::V4(Ipv4Addr::UNSPECIFIED) } else { Ipv6Addr::UNSPECIFIED.into() };
    let socket = UdpSocket::bind((unspecified, 0)).ok()?;
    socket.connect((address, DISCARD_PORT)).ok()?;
    Some(socket.local_addr().ok()?.ip())
}

#[derive(Debug)]
struct Resolver {
    outbound: Outbound,
    chosen_by: ChosenBy,
}

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let (outbound, chosen_by) = (self.outbound.clone(), self.chosen_by);
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let permitted = found.filter(|address| outbound.permits_address(address.ip(), chosen_by));
            let permitted: Vec<SocketAddr> = permitted.collect();
            match permitted.is_empty() {
                true => Err(BoxError::from(REFUSED)),
                false => Ok(Box::new(permitted.into_iter()) as Addrs),
            }
        })
    }
}

/// Error message for a request whose address the policy does not allow.
pub const REFUSED: &str = "requests may not go to this address ([outbound] allowed_networks of cloch.toml)";

#[cfg(test)]
mod tests {
    use super::*;

    fn permits(outbound: &Outbound, url: &str, chosen_by: ChosenBy) -> bool {
        outbound.permits(&url.parse().unwrap(), chosen_by)
    }

    #[test]
    fn a_caller_reaches_the_internet_only() {
        let usual = Outbound::default();
        for host in [
            "127.0.0.1",
            "127.9.9.9",
            "10.0.0.1",
            "172.31.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "0.0.0.0",
            "2130706433",
            "0x7f.1",
            "017700000001",
            "224.0.0.1",
            "255.255.255.255",
            "[::1]",
            "[::]",
            "[fe80::1]",
            "[fd00::1]",
            "[::ffff:127.0.0.1]",
            "[::127.0.0.1]",
            "[64:ff9b::a9fe:a9fe]",
            "[64:ff9b::7f00:1]",
            "[64:ff9b:1::a00:1]",
            "[100:0:0:1::1]",
            "[5f00::1]",
            "[2002:7f00:1::]",
            "[ff02::1]",
        ] {
            assert!(!permits(&usual, &format!("http://{host}/"), ChosenBy::Caller), "{host}");
        }
        for host in ["93.184.215.14", "[2606:2800:21f:cb07:6820:80da:af6b:8b2c]", "[64:ff9b::808:808]", "example.org"] {
            assert!(permits(&usual, &format!("http://{host}/"), ChosenBy::Caller), "{host}");
        }
        if let Some(own) = own_ipv4_address() {
            assert!(is_of_this_machine(own.into()) && !permits(&usual, &format!("http://{own}/"), ChosenBy::Caller));
        }
        assert!(!is_of_this_machine([93, 184, 215, 14].into()));
        let with = Outbound::new(&["10.0.0.0/8".parse().unwrap()]);
        assert!(
            permits(&with, "http://10.1.2.3/", ChosenBy::Caller)
                && !permits(&with, "http://127.0.0.1/", ChosenBy::Caller)
        );
    }

    #[test]
    fn the_project_reaches_its_own_services_and_no_secrets_of_the_cloud() {
        let usual = Outbound::default();
        for host in [
            "169.254.169.254",
            "[fe80::1]",
            "[::ffff:169.254.169.254]",
            "[64:ff9b::a9fe:a9fe]",
            "[fd00:ec2::254]",
            "100.100.100.200",
        ] {
            assert!(!permits(&usual, &format!("http://{host}/"), ChosenBy::Project), "{host}");
        }
        for host in ["127.0.0.1", "10.0.0.1", "[::1]", "[fd00::1]", "localhost"] {
            assert!(permits(&usual, &format!("http://{host}/"), ChosenBy::Project), "{host}");
        }
        let with = Outbound::new(&["169.254.169.254/32".parse().unwrap()]);
        assert!(permits(&with, "http://169.254.169.254/", ChosenBy::Project));
    }

    #[tokio::test]
    async fn a_name_is_no_way_around() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let send = async |chosen_by| {
            let client = Outbound::default().client(chosen_by).timeout(Duration::from_millis(200)).build().unwrap();
            let error = client.get(format!("http://localhost:{port}/")).send().await.unwrap_err();
            (error.is_connect(), format!("{error:?}").contains(REFUSED))
        };
        assert_eq!(send(ChosenBy::Caller).await, (true, true));
        // The client may connect to this address. No HTTP server responds there, so the request fails after the connection
        // is made.
        assert_eq!(send(ChosenBy::Project).await, (false, false));
    }

    #[tokio::test]
    async fn a_redirect_is_no_way_around() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let routes = axum::Router::new().fallback(async || axum::response::Redirect::to("/elsewhere"));
        tokio::spawn(async move { axum::serve(listener, routes).await.unwrap() });
        for chosen_by in [ChosenBy::Project, ChosenBy::Caller] {
            let client = Outbound::default().client(chosen_by).build().unwrap();
            assert_eq!(client.get(&url).send().await.unwrap().status(), 303, "it is not followed");
        }
    }
}
