//! Counts the connections and sockets that the clients of each address have open, to limit them.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The bits of an IPv6 address that one client cannot choose.
const NETWORK_BITS: u128 = u128::MAX << 64;

/// How many of one thing each address has open.
#[derive(Debug, Default)]
pub struct AddressCounts(Mutex<BTreeMap<IpAddr, usize>>);

/// One of them, counted while it exists.
#[derive(Debug)]
pub struct Counted {
    counts: Arc<AddressCounts>,
    address: IpAddr,
}

/// The address by which a client is known. A client with IPv6 has as many addresses as it likes within its network.
fn client_of(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) if !address.is_loopback() => Ipv6Addr::from_bits(address.to_bits() & NETWORK_BITS).into(),
        address => address,
    }
}

impl AddressCounts {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<IpAddr, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts one more of an address; `None` if it has `most` already. Loopback has no limit: a proxy on this machine speaks for many.
    pub fn enter(self: &Arc<Self>, address: IpAddr, most: usize) -> Option<Counted> {
        let address = client_of(address);
        let mut counts = self.lock();
        let count = counts.entry(address).or_insert(0);
        if *count >= most && !address.is_loopback() {
            return None;
        }
        *count += 1;
        drop(counts);
        Some(Counted { counts: Arc::clone(self), address })
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        let mut counts = self.counts.lock();
        if let Some(count) = counts.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::AddressCounts;
    use std::sync::Arc;

    #[test]
    fn an_address_has_at_most_its_number() {
        let counts = Arc::new(AddressCounts::default());
        let enter = |address: &str| counts.enter(address.parse().expect("an address"), 2);
        let first = enter("192.0.2.1");
        let second = enter("::ffff:192.0.2.1");
        assert!(first.is_some() && second.is_some() && enter("192.0.2.1").is_none() && enter("192.0.2.2").is_some());
        drop(first);
        assert!(enter("192.0.2.1").is_some());
        let network = [enter("2001:db8::1"), enter("2001:db8::2:1")];
        assert!(network.iter().all(Option::is_some) && enter("2001:db8::3").is_none() && enter("2001:db8:0:1::3").is_some());
        let loopback = [enter("::1"), enter("::1"), enter("::1"), enter("127.0.0.1")];
        assert!(loopback.iter().all(Option::is_some));
        drop((second, network, loopback));
        assert!(counts.lock().is_empty());
    }
}
